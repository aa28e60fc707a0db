namespace Respmark.Recorder;

/// <summary>
/// How many units one walker has completed, and their samples, in memory that was made and written through beforehand. Samples of a part
/// that are not to be kept are stored all the same, and dropped when it is over.
/// </summary>
internal sealed class Samples
{
    private readonly Histogram _histogram;
    private readonly long[] _storage;
    private int _stored;
    private int _kept;
    private bool _keeps;
    private long _units;

    public Samples(Histogram histogram, int capacity)
    {
        _histogram = histogram;
        _storage = new long[capacity];
        Array.Fill(_storage, 1L);
    }

    /// <summary>Units completed without error since the trial began; other threads may look.</summary>
    public long Units => Volatile.Read(ref _units);

    /// <summary>A part of a slice begins.</summary>
    public void Begin(bool keepSamples) => _keeps = keepSamples;

    /// <summary>Counts a unit that lasted so long and ended at <paramref name="now"/>; returns when the next begins.</summary>
    public long Add(long sample, long now)
    {
        _storage[_stored] = sample;
        _units++;
        if (++_stored < _storage.Length)
        {
            return now;
        }

        // The last resort of a slice that outgrows the storage. Folding is no latency of the next unit.
        End();
        Fold();
        return Clock.Now;
    }

    /// <summary>The part is over.</summary>
    public void End()
    {
        if (_keeps)
        {
            _kept = _stored;
        }

        _stored = _kept;
    }

    /// <summary>Makes room for the next slice, where this one has left too little.</summary>
    public void FoldWhenHalfFull()
    {
        if (_kept > _storage.Length / 2)
        {
            Fold();
        }
    }

    /// <summary>Puts the kept samples into the histogram.</summary>
    public void Fold()
    {
        _histogram.Add(_storage.AsSpan(0, _kept));
        _stored = _kept = 0;
    }
}
