using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Respmark;

/// <summary>
/// One walker's loop: everything in it is charged to the client. One reading of the clock ends a unit, starts the next and
/// decides whether there is one; one store records its latency.
/// </summary>
internal abstract class Loop(Walker walker, Samples samples, Errors errors)
{
    private protected Walker Walker { get; } = walker;

    private protected Samples Samples { get; } = samples;

    private protected Errors Errors { get; } = errors;

    public void Begin(long first) => Walker.Begin(first);

    /// <summary>Performs units from the walker's position on, and adds the reply to each of their commands.</summary>
    public abstract Task EchoAsync(Replies replies);
}

/// <summary>Performs one blocking unit after another, on a thread of its own.</summary>
internal sealed class BlockingLoop(BlockingUnit unit, Walker walker, Samples samples, Errors errors)
    : Loop(walker, samples, errors)
{
    /// <summary>Performs a part of a slice.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises is counted by its class")]
    public void Run(long until)
    {
        do
        {
            try
            {
                RunUntilOneFails(until);
            }
            catch (Exception error)
            {
                Errors.Add(error);
            }
        }
        while (Clock.Now < until);
    }

    public override Task EchoAsync(Replies replies)
    {
        unit.Echo(replies);
        return Task.CompletedTask;
    }

    /// <summary>An error handler around the unit would keep the compiler from optimising, so the caller has it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void RunUntilOneFails(long until)
    {
        var then = Clock.Now;
        do
        {
            unit.Perform();
            var now = Clock.Now;
            Samples.Add(now - then);
            then = now;
        }
        while (then < until);
    }
}

/// <summary>A loop that awaits.</summary>
internal abstract class AsyncLoop(Walker walker, Samples samples, Errors errors) : Loop(walker, samples, errors)
{
    /// <summary>Performs a part of a slice, completes what is in flight at its end, and counts it.</summary>
    public abstract ValueTask RunAsync(long until);
}

/// <summary>Sends a unit, awaits it, reads it, and sends the next.</summary>
internal sealed class UnitLoop(AsyncUnit unit, Walker walker, Samples samples, Errors errors) : AsyncLoop(walker, samples, errors)
{
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises is counted by its class")]
    public override async ValueTask RunAsync(long until)
    {
        var then = Clock.Now;
        do
        {
            try
            {
                await unit.Send().ConfigureAwait(false);
                await unit.Rest().ConfigureAwait(false);
                unit.Read();
                var now = Clock.Now;
                Samples.Add(now - then);
                then = now;
            }
            catch (Exception error)
            {
                Errors.Add(error);
                then = Clock.Now;
            }
        }
        while (then < until);
    }

    public override async Task EchoAsync(Replies replies)
    {
        await unit.Send().ConfigureAwait(false);
        await unit.Rest().ConfigureAwait(false);
        unit.Echo(replies);
    }
}

/// <summary>
/// A sliding window: as many commands in flight as it has places, each of which sends its next one where the completion
/// of its last is observed, on whichever thread that is. They share nothing but three counters.
/// </summary>
internal sealed class WindowLoop(AsyncUnit[] places, Walker walker, Samples samples, Errors errors) : AsyncLoop(walker, samples, errors)
{
    private int _flowing;

    public override async ValueTask RunAsync(long until)
    {
        _flowing = places.Length;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        foreach (var place in places)
        {
            _ = FlowAsync(place, until, done);
        }

        await done.Task.ConfigureAwait(false);
    }

    public override Task EchoAsync(Replies replies) => new UnitLoop(places[0], Walker, Samples, Errors).EchoAsync(replies);

    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises is counted by its class")]
    private async Task FlowAsync(AsyncUnit place, long until, TaskCompletionSource done)
    {
        var then = Clock.Now;
        do
        {
            try
            {
                await place.Send().ConfigureAwait(false);
                place.Read();
                var now = Clock.Now;
                Samples.AddShared(now - then);
                then = now;
            }
            catch (Exception error)
            {
                Errors.Add(error);
                then = Clock.Now;
            }
        }
        while (then < until);
        if (Interlocked.Decrement(ref _flowing) == 0)
        {
            done.SetResult();
        }
    }
}
