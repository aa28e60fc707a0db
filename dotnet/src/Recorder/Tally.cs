namespace Respmark.Recorder;

/// <summary>
/// What one walker has done in a window. The loops call <see cref="Add"/> for each unit, and the rest only when
/// something is due: at half time, at the end, after a failure.
/// </summary>
internal sealed class Tally(SampleStore store, int walker, Window window)
{
    private readonly long[] _samples = store.Room(walker);
    private int _count;
    private long _units;
    private (long Units, long At)? _half;
    private long _unitsBeforeLast;

    /// <summary>When the loop has to call <see cref="Reached"/>.</summary>
    public long Checkpoint { get; private set; }

    /// <summary>When the last unit ended.</summary>
    public long Ended { get; private set; }

    /// <summary>Units completed without error; other threads may look.</summary>
    public long Units => Volatile.Read(ref _units);

    /// <summary>Begins with the window, which is open.</summary>
    public long Begin()
    {
        Checkpoint = window.Half;
        return window.Start;
    }

    /// <summary>Counts a unit that lasted so long and ended at <paramref name="now"/>; returns when the next begins.</summary>
    public long Add(long sample, long now)
    {
        _samples[_count] = sample;
        _units++;
        if (++_count < _samples.Length)
        {
            return now;
        }

        // Folding is no latency of the next unit.
        Fold();
        return Clock.Now;
    }

    /// <summary>Notes what <paramref name="now"/>, at or after the checkpoint, means; says whether the window is over.</summary>
    public bool Reached(long now)
    {
        Ended = now;
        if (now >= window.End)
        {
            _unitsBeforeLast = Math.Max(_units - 1, 0);
            return true;
        }

        _half ??= (_units, now);
        Checkpoint = window.End;
        return false;
    }

    /// <summary>Notes when a unit ended that was in flight at the window's end.</summary>
    public void Completed(long now) => Ended = now;

    /// <summary>Folds the samples that are not folded yet.</summary>
    public void Fold()
    {
        store.Fold(_samples.AsSpan(0, _count));
        _count = 0;
    }

    /// <summary>
    /// Units at half time, and when that was. A walker that waited through the second half for one unit counts with
    /// what it had done before, and has no time.
    /// </summary>
    public (long Units, long? At) Half => _half is { } half ? (half.Units, half.At) : (_unitsBeforeLast, null);
}
