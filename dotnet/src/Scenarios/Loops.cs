using System.Runtime.CompilerServices;
using Respmark.Clients;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// Performs blocking units one after the other: whatever stands here, the client is charged for. One look at the clock
/// ends a unit and starts the next, and one store keeps its latency; failures are dealt with out of the way.
/// </summary>
internal sealed class BlockingLoop(BlockingUnit unit, Walker walker, Tally tally, Failures failures)
{
    private readonly Streak _streak = new();

    /// <summary>Performs one part of a slice.</summary>
    public void Run(long until, bool keepSamples)
    {
        tally.Begin(keepSamples);
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
        tally.End();
    }

    /// <summary>
    /// One unit after the other until one fails or the part is over. An error handler around the unit would keep the
    /// compiler from its best, so the caller has it.
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
            then = tally.Add(now - then, now);
        }
        while (then < until);
    }
}

/// <summary>
/// Keeps as many asynchronous units in flight as the ring has: waits for the oldest, and sends the next in its place. On
/// one connection replies come in the order of their commands, so that the oldest is the one that completes next.
/// </summary>
internal sealed class RingLoop(AsyncUnit[] ring, Walker walker, Tally tally, Failures failures)
{
    private readonly Streak[] _streaks = Array.ConvertAll(ring, _ => new Streak());
    private readonly Task[] _sent = new Task[ring.Length];
    private readonly long[] _since = new long[ring.Length];

    /// <summary>Performs one part of a slice; what is in flight at its end is completed and counted.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask RunAsync(long until, bool keepSamples)
    {
        tally.Begin(keepSamples);
        for (var filling = 0; filling < ring.Length; filling++)
        {
            Send(filling, Clock.Now);
        }

        var (slot, inFlight) = (0, ring.Length);
        while (inFlight > 0)
        {
            long now;
            try
            {
                await _sent[slot].ConfigureAwait(false);
                await ring[slot].Rest().ConfigureAwait(false);
                ring[slot].Read();
                now = Clock.Now;
                _streaks[slot].End();
                now = tally.Add(now - _since[slot], now);
            }
            catch (Exception error) when (failures.Concerns(error))
            {
                await failures.AcceptAsync(error, _streaks[slot]).ConfigureAwait(false);
                now = Clock.Now;
            }

            if (now < until)
            {
                Send(slot, now);
            }
            else
            {
                inFlight--;
            }

            slot = slot + 1 == ring.Length ? 0 : slot + 1;
        }

        tally.End();
    }

    /// <summary>A unit that cannot even be sent has failed like one whose reply is an error.</summary>
    private void Send(int slot, long now)
    {
        _since[slot] = now;
        try
        {
            _sent[slot] = ring[slot].Send(walker);
        }
        catch (Exception error) when (failures.Concerns(error))
        {
            _sent[slot] = Task.FromException(error);
        }
    }
}
