using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Workload;

namespace Respmark.Scenarios;

/// <summary>
/// The slices of a trial. Its walkers live from <c>connect</c> to the end: each blocking lane on its own thread, each
/// asynchronous one as a flow on the thread pool. Between slices they wait. In a slice each performs the lead-in and
/// then the measured part; the last one to end a part notes the moment, so none waits for another thread to do it.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "walkers wait on its semaphores until the process ends")]
internal sealed class Slices
{
    /// <summary>How many samples the storage of all walkers together holds: 4 MiB, seconds of most scenarios.</summary>
    private const int MostSamples = 1 << 19;

    private const int LeastSamples = 1 << 10;

    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);

    private readonly string _trialId;
    private readonly int _commandsPerUnit;
    private readonly Walker[] _walkers;
    private readonly Samples[] _samples;
    private readonly Failures _failures;
    private readonly SemaphoreSlim _ordered = new(0);
    private readonly SemaphoreSlim _ledIn = new(0);
    private readonly SemaphoreSlim _ended = new(0);

    private SliceOrder _order = new(0, 0, 0, 0, KeepSamples: false);
    private (Moment Started, Moment MeasuredFrom, Moment Ended) _moments;
    private long _unitsLedIn;
    private long _until;
    private int _working;
    private long _silentNs;
    private Exception? _fault;

    /// <summary>Starts a walker for each lane.</summary>
    public Slices(string trialId, IReadOnlyList<Lane> lanes, Walker[] walkers, Failures failures)
    {
        _trialId = trialId;
        _commandsPerUnit = lanes[0].First.Replies.Length;
        _walkers = walkers;
        _failures = failures;
        _working = walkers.Length;
        _samples = Array.ConvertAll(walkers, _ => new Samples(Histogram, Math.Max(MostSamples / walkers.Length, LeastSamples)));
        for (var number = 0; number < walkers.Length; number++)
        {
            Start(lanes[number], walkers[number], _samples[number]);
        }
    }

    /// <summary>The kept samples of all slices, once they are folded.</summary>
    public Histogram Histogram { get; } = new();

    private long Units
    {
        get
        {
            // Read inside a slice, where an enumerator would be garbage.
            var units = 0L;
            foreach (var samples in _samples)
            {
                units += samples.Units;
            }

            return units;
        }
    }

    /// <summary>Performs one slice.</summary>
    /// <exception cref="LostException">The target was lost during the slice.</exception>
    public SliceEvent Run(SliceOrder order)
    {
        Array.ForEach(_walkers, walker => walker.Begin(order.FirstCommand));
        var before = Array.ConvertAll(_samples, samples => samples.Units);
        _order = order;
        _moments.Started = Moments.Opening();
        _until = _moments.Started.AtNs + order.LeadInNs;
        _ordered.Release(_walkers.Length);
        AwaitEnd(before.Sum());
        Array.ForEach(_samples, samples => samples.FoldWhenHalfFull());
        var (errors, firstError) = _failures.Take();
        return new SliceEvent
        {
            TrialId = _trialId,
            Slice = order.Number,
            Started = _moments.Started,
            MeasuredFrom = _moments.MeasuredFrom,
            Ended = _moments.Ended,
            LeadIn = WorkOf(_unitsLedIn - before.Sum()),
            Measured = WorkOf(Units - _unitsLedIn),
            Segments =
            [
                .. _walkers.Select((walker, number) =>
                    new Segment(walker.First, WorkOf(_samples[number].Units - before[number]).Operations)),
            ],
            Errors = errors,
            FirstError = firstError,
        };
    }

    /// <summary>Folds all kept samples into the histogram.</summary>
    public void Fold() => Array.ForEach(_samples, samples => samples.Fold());

    private Work WorkOf(long units) => new(units * _commandsPerUnit, units);

    private void Start(Lane lane, Walker walker, Samples samples)
    {
        if (lane.Blocking is { } unit)
        {
            var loop = new BlockingLoop(unit, walker, samples, _failures);
            new Thread(() => Work(loop)) { IsBackground = true }.Start();
        }
        else
        {
            _ = WorkAsync(lane.Asynchronous is { } whole
                ? new AsyncLoop(whole, walker, samples, _failures)
                : new SlidingWindow(lane.Window, walker, samples, _failures));
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "whatever ends a walker ends the trial, on the main thread")]
    private void Work(BlockingLoop loop)
    {
        try
        {
            for (; ; )
            {
                _ordered.Wait();
                if (_order.LeadInNs > 0)
                {
                    loop.Run(_until, keepSamples: false);
                }

                if (!IsLastOfLeadIn())
                {
                    _ledIn.Wait();
                }

                loop.Run(_until, _order.KeepSamples);
                NoteEnd();
            }
        }
        catch (Exception error)
        {
            End(error);
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "whatever ends a walker ends the trial, on the main thread")]
    private async Task WorkAsync(IAsyncLoop loop)
    {
        try
        {
            for (; ; )
            {
                await _ordered.WaitAsync().ConfigureAwait(false);
                if (_order.LeadInNs > 0)
                {
                    await loop.RunAsync(_until, keepSamples: false).ConfigureAwait(false);
                }

                if (!IsLastOfLeadIn())
                {
                    await _ledIn.WaitAsync().ConfigureAwait(false);
                }

                await loop.RunAsync(_until, _order.KeepSamples).ConfigureAwait(false);
                NoteEnd();
            }
        }
        catch (Exception error)
        {
            End(error);
        }
    }

    /// <summary>A walker has nothing in flight any more; the last one opens the measured part for all.</summary>
    private bool IsLastOfLeadIn()
    {
        if (!IsLast())
        {
            return false;
        }

        _unitsLedIn = Units;
        _moments.MeasuredFrom = Moments.Opening();
        _until = _moments.MeasuredFrom.AtNs + _order.DurationNs;
        if (_walkers.Length > 1)
        {
            _ledIn.Release(_walkers.Length - 1);
        }

        return true;
    }

    private void NoteEnd()
    {
        if (IsLast())
        {
            _moments.Ended = Moments.Closing();
            _ended.Release();
        }
    }

    private bool IsLast()
    {
        if (Interlocked.Decrement(ref _working) > 0)
        {
            return false;
        }

        _working = _walkers.Length;
        return true;
    }

    private void End(Exception error)
    {
        Interlocked.CompareExchange(ref _fault, error, comparand: null);
        _ended.Release();
    }

    /// <summary>Wakes up before the end only in slices longer than a second, to look for progress.</summary>
    private void AwaitEnd(long units)
    {
        var since = Clock.Now - _silentNs;
        while (!_ended.Wait(Look))
        {
            if (Units != units)
            {
                (units, since) = (Units, Clock.Now);
            }
            else if (Clock.Now - since >= Clock.Nanoseconds(Limits.Silence))
            {
                throw new LostException($"no unit succeeded for {Limits.Silence.TotalSeconds:0} s", _failures.Last);
            }
        }

        if (_fault is not null)
        {
            ExceptionDispatchInfo.Throw(_fault);
        }

        // Silence adds up over slices without a successful unit; the time between them does not count.
        _silentNs = Units == units ? Clock.Now - since : 0;
    }
}
