using System.Diagnostics.CodeAnalysis;
using Respmark.Clients;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// A sliding window: as many commands in flight as it has places. Each completion is observed by its own continuation,
/// which issues the next command, on whichever thread it runs. The flows share one lock: under it, a completion's
/// sample is recorded and the next command is taken.
/// </summary>
internal sealed class SlidingWindow(PlaceUnit[] places, Walker walker, Samples samples, Failures failures) : IAsyncLoop
{
    private readonly Lock _sharing = new();
    private readonly Streak[] _streaks = Array.ConvertAll(places, _ => new Streak());
    private int _flowing;

    public async ValueTask RunAsync(long until, bool keepSamples)
    {
        samples.Begin(keepSamples);
        _flowing = places.Length;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        for (var place = 0; place < places.Length; place++)
        {
            _ = FlowAsync(place, until, done);
        }

        await done.Task.ConfigureAwait(false);
        samples.End();
    }

    /// <summary>One place: one command after another. Any error but a failed unit ends the part for all.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "whatever ends a flow ends the trial, where the part is awaited")]
    private async Task FlowAsync(int place, long until, TaskCompletionSource done)
    {
        try
        {
            var (unit, streak) = (places[place], _streaks[place]);
            var (then, index) = (Clock.Now, Take());
            do
            {
                try
                {
                    await unit.Send(index).ConfigureAwait(false);
                    unit.Read();
                    var now = Clock.Now;
                    streak.End();
                    (then, index) = After(now - then, now, until);
                }
                catch (Exception error) when (failures.Concerns(error))
                {
                    await failures.AcceptAsync(error, streak).ConfigureAwait(false);
                    then = Clock.Now;
                    index = then < until ? Take() : index;
                }
            }
            while (then < until);
            if (Interlocked.Decrement(ref _flowing) == 0)
            {
                done.SetResult();
            }
        }
        catch (Exception error)
        {
            done.TrySetException(error);
        }
    }

    private int Take()
    {
        lock (_sharing)
        {
            return walker.Next();
        }
    }

    /// <summary>Records a completion; returns when the next command starts and, if in time, its index.</summary>
    private (long Now, int Index) After(long sample, long now, long until)
    {
        lock (_sharing)
        {
            var next = samples.Add(sample, now);
            return (next, next < until ? walker.Next() : 0);
        }
    }
}
