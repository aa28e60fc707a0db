namespace Respmark.Recorder;

/// <summary>
/// How many units one walker has completed, and their samples, in preallocated storage whose memory has been touched.
/// Samples that are not to be kept are stored all the same, and dropped when their part of the slice ends.
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

    /// <summary>Units completed without error since the start; other threads may read this.</summary>
    public long Units => Volatile.Read(ref _units);

    /// <summary>Starts a part of a slice.</summary>
    public void Begin(bool keepSamples) => _keeps = keepSamples;

    /// <summary>Records a unit that ended at <paramref name="now"/>; returns when the next one starts.</summary>
    public long Add(long sample, long now)
    {
        _storage[_stored] = sample;
        _units++;
        if (++_stored < _storage.Length)
        {
            return now;
        }

        // The slice outgrows the storage. Folding must not count as latency of the next unit.
        End();
        Fold();
        return Clock.Now;
    }

    /// <summary>Ends a part of a slice: its samples are kept or dropped.</summary>
    public void End()
    {
        if (_keeps)
        {
            _kept = _stored;
        }

        _stored = _kept;
    }

    /// <summary>Between slices: makes room if more than half of the storage is used.</summary>
    public void FoldWhenHalfFull()
    {
        if (_kept > _storage.Length / 2)
        {
            Fold();
        }
    }

    /// <summary>Folds the kept samples into the histogram.</summary>
    public void Fold()
    {
        _histogram.Add(_storage.AsSpan(0, _kept));
        _stored = _kept = 0;
    }
}
