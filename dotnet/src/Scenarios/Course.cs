using System.Runtime.ExceptionServices;
using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// Runs the lanes of a session through windows: a blocking lane on a thread of its own, an asynchronous one as a flow on
/// the thread pool. Only the thread that calls <see cref="Run"/> looks at the whole, once a second.
/// </summary>
internal sealed class Course(ISession session, CommandTable workload, WorkloadPart part)
{
    private readonly SampleStore _samples = new(session.Lanes.Count);

    public SampleStore Samples => _samples;

    /// <summary>Walkers at their first commands; every walk through the workload starts anew.</summary>
    public Walker[] Walkers() => Walker.Of(workload.Length, part, session.Lanes.Count);

    /// <summary>Performs one unit to its end, outside of any window.</summary>
    /// <exception cref="LostException">It took too long.</exception>
    public static void Perform(Unit unit, Walker walker, TimeSpan patience)
    {
        var working = unit is AsyncUnit asynchronous
            ? asynchronous.Send(walker)
            : Task.Run(() => ((BlockingUnit)unit).Perform(walker));
        if (Task.WaitAny([working], patience) < 0)
        {
            throw Silence(patience);
        }

        working.GetAwaiter().GetResult();
        (unit as AsyncUnit)?.Read();
    }

    /// <summary>Makes a window ready, so that <see cref="Run"/> starts at once.</summary>
    public Heat Arm(double seconds, Failures failures)
    {
        _samples.Clear();
        var window = new Window(seconds);
        var walkers = Walkers();
        var tallies = walkers.Select((_, number) => new Tally(_samples, number, window)).ToArray();
        var gate = new TaskCompletionSource();
        var working = walkers.Select((walker, number) =>
            Started(session.Lanes[number], walker, tallies[number], failures, gate.Task));
        return new Heat(window, walkers, tallies, failures, gate, [.. working]);
    }

    /// <summary>Opens the window and returns when every lane is through.</summary>
    /// <param name="heat">What was made ready.</param>
    /// <param name="silence">How long nothing at all may be completed.</param>
    /// <param name="onSecond">Told once a second how long the window lasts and how many units are completed.</param>
    /// <exception cref="LostException">The target was lost on the way.</exception>
    public static void Run(Heat heat, TimeSpan silence, Action<long, long>? onSecond)
    {
        var failed = FirstFailure(heat.Working);
        var all = Task.WhenAll(heat.Working);
        heat.Window.Open();
        heat.Gate.SetResult();
        var (seen, seenAt, seconds) = (0L, Clock.Now, 0);
        while (Task.WaitAny([failed, all], UntilNextSecond(heat.Window, ++seconds)) < 0)
        {
            var now = Clock.Now;
            var units = heat.Units;
            (seen, seenAt) = units == seen ? (seen, seenAt) : (units, now);
            if (now - seenAt >= Clock.Ticks(silence.TotalSeconds))
            {
                throw Silence(silence);
            }

            if (now < heat.Window.End)
            {
                onSecond?.Invoke(now - heat.Window.Start, units);
            }
        }

        // A single lane that failed may have ended the whole before its failure was told apart.
        var failure = failed.IsCompleted ? failed.Result : all.Exception?.InnerException;
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    private Task Started(Lane lane, Walker walker, Tally tally, Failures failures, Task gate) =>
        lane.Blocking is { } unit
            ? OnOwnThread(() => Loops.Run(unit, walker, tally, failures, session.Settle), gate)
            : AfterGate(gate, () => Loops.RunAsync(lane.Ring, walker, tally, failures, session.Settle));

    private static Task OnOwnThread(Action work, Task gate) => Task.Factory.StartNew(
        () =>
        {
            gate.Wait();
            work();
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    private static async Task AfterGate(Task gate, Func<Task> work)
    {
        await gate.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await work().ConfigureAwait(false);
    }

    private static Task<Exception> FirstFailure(IEnumerable<Task> working)
    {
        var failed = new TaskCompletionSource<Exception>();
        foreach (var lane in working)
        {
            _ = lane.ContinueWith(
                ended => failed.TrySetResult(ended.Exception!.InnerException!),
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted,
                TaskScheduler.Default);
        }

        return failed.Task;
    }

    private static TimeSpan UntilNextSecond(Window window, int second)
    {
        var left = window.Start + Clock.Ticks(second) - Clock.Now;
        return TimeSpan.FromMilliseconds(Math.Max(0, Math.Ceiling(Clock.Nanoseconds(left) / 1e6)));
    }

    private static LostException Silence(TimeSpan patience) =>
        new($"nothing was answered for {patience.TotalSeconds:0} s");
}

/// <summary>A window that is ready or over: who walks, and what each has done.</summary>
internal sealed record Heat(
    Window Window,
    IReadOnlyList<Walker> Walkers,
    IReadOnlyList<Tally> Tallies,
    Failures Failures,
    TaskCompletionSource Gate,
    IReadOnlyList<Task> Working)
{
    /// <summary>Units completed by all walkers so far.</summary>
    public long Units => Tallies.Sum(tally => tally.Units);
}
