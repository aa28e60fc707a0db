using System.Runtime.CompilerServices;
using Respmark.Clients;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// Performs blocking units, one after another: everything in this loop is charged to the client. One clock read ends a
/// unit and starts the next, and one store records its latency; failures are handled outside.
/// </summary>
internal sealed class BlockingLoop(BlockingUnit unit, Walker walker, Samples samples, Failures failures)
{
    private readonly Streak _streak = new();

    /// <summary>Performs one part of a slice.</summary>
    public void Run(long until, bool keepSamples)
    {
        samples.Begin(keepSamples);
        do
        {
            try
            {
                RunFlawless(until);
            }
            catch (Exception error) when (failures.Concerns(error))
            {
                failures.AcceptAsync(error, _streak).GetAwaiter().GetResult();
            }
        }
        while (Clock.Now < until);
        samples.End();
    }

    /// <summary>
    /// One unit after another until one fails or the part is over. An error handler around the unit would keep the
    /// compiler from optimising fully, so the caller has it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void RunFlawless(long until)
    {
        var then = Clock.Now;
        do
        {
            unit.Perform(walker);
            var now = Clock.Now;
            _streak.End();
            then = samples.Add(now - then, now);
        }
        while (then < until);
    }
}

/// <summary>A loop that awaits.</summary>
internal interface IAsyncLoop
{
    /// <summary>Performs one part of a slice; what is in flight at its end is completed and counted.</summary>
    ValueTask RunAsync(long until, bool keepSamples);
}

/// <summary>Sends an asynchronous unit, awaits it, reads it, and sends the next.</summary>
internal sealed class AsyncLoop(AsyncUnit unit, Walker walker, Samples samples, Failures failures) : IAsyncLoop
{
    private readonly Streak _streak = new();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask RunAsync(long until, bool keepSamples)
    {
        samples.Begin(keepSamples);
        var then = Clock.Now;
        do
        {
            try
            {
                await unit.Send(walker).ConfigureAwait(false);
                await unit.Rest().ConfigureAwait(false);
                unit.Read();
                var now = Clock.Now;
                _streak.End();
                then = samples.Add(now - then, now);
            }
            catch (Exception error) when (failures.Concerns(error))
            {
                await failures.AcceptAsync(error, _streak).ConfigureAwait(false);
                then = Clock.Now;
            }
        }
        while (then < until);
        samples.End();
    }
}
