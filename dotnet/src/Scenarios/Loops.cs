using System.Runtime.CompilerServices;
using Respmark.Clients;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// The measured loops: whatever stands here, the client is charged for. One look at the clock ends a unit and starts the
/// next, and one store keeps its latency; half time, the end and failures are dealt with out of the way.
/// </summary>
internal static class Loops
{
    /// <summary>Performs blocking units one after the other until the window is over.</summary>
    public static void Run(BlockingUnit unit, Walker walker, Tally tally, Failures failures, Action settle)
    {
        var streak = new Streak();
        var then = tally.Begin();
        for (; ; )
        {
            try
            {
                RunFlawless(unit, walker, tally, streak, ref then);
                return;
            }
            catch (Exception error) when (failures.Concerns(error))
            {
                failures.Accept(error, streak);
            }

            settle();
            then = Clock.Now;
            if (then >= tally.Checkpoint && tally.Reached(then))
            {
                return;
            }
        }
    }

    /// <summary>
    /// Keeps as many units in flight as the ring has: waits for the oldest, and sends the next in its place. On one
    /// connection replies come in the order of their commands, so that the oldest is the one that completes next.
    /// </summary>
    public static async Task RunAsync(AsyncUnit[] ring, Walker walker, Tally tally, Failures failures, Action settle)
    {
        var streaks = Array.ConvertAll(ring, _ => new Streak());
        var sent = new Task[ring.Length];
        var since = new long[ring.Length];
        var now = tally.Begin();
        for (var filling = 0; filling < ring.Length; filling++)
        {
            since[filling] = filling == 0 ? now : Clock.Now;
            sent[filling] = Send(ring[filling], walker, failures);
        }

        var slot = 0;
        for (; ; )
        {
            now = await Complete(slot).ConfigureAwait(false);
            if (now >= tally.Checkpoint && tally.Reached(now))
            {
                break;
            }

            since[slot] = now;
            sent[slot] = Send(ring[slot], walker, failures);
            slot = slot + 1 == ring.Length ? 0 : slot + 1;
        }

        for (var left = 1; left < ring.Length; left++)
        {
            slot = slot + 1 == ring.Length ? 0 : slot + 1;
            tally.Completed(await Complete(slot).ConfigureAwait(false));
        }

        async ValueTask<long> Complete(int at)
        {
            try
            {
                await sent[at].ConfigureAwait(false);
                ring[at].Read();
            }
            catch (Exception error) when (failures.Concerns(error))
            {
                failures.Accept(error, streaks[at]);
                settle();
                return Clock.Now;
            }

            var ended = Clock.Now;
            streaks[at].End();
            return tally.Add(ended - since[at], ended);
        }
    }

    /// <summary>
    /// One unit after the other until one fails or the window is over. An error handler around the unit would keep the
    /// compiler from its best, so the caller has it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void RunFlawless(BlockingUnit unit, Walker walker, Tally tally, Streak streak, ref long then)
    {
        for (; ; )
        {
            unit.Perform(walker);
            var now = Clock.Now;
            streak.End();
            then = tally.Add(now - then, now);
            if (now >= tally.Checkpoint && tally.Reached(now))
            {
                return;
            }
        }
    }

    /// <summary>A unit that cannot even be sent has failed like one whose reply is an error.</summary>
    private static Task Send(AsyncUnit unit, Walker walker, Failures failures)
    {
        try
        {
            return unit.Send(walker);
        }
        catch (Exception error) when (failures.Concerns(error))
        {
            return Task.FromException(error);
        }
    }
}
