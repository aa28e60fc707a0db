namespace Respmark;

/// <summary>
/// Takes one command after another, cyclically, and keeps how long each unit took, in storage whose memory has been
/// touched. Every unit is stored, in lead-ins, too: what is not kept is overwritten, and what has no room is counted.
/// </summary>
/// <param name="length">How many commands the workload has.</param>
/// <param name="capacity">How many latencies it keeps.</param>
/// <param name="isShared">Whether the places of a sliding window use it at once, on whichever threads.</param>
/// <param name="isOpen">Whether it keeps when each unit was due and how late it started, too.</param>
internal sealed class Walker(int length, int capacity, bool isShared, bool isOpen = false)
{
    private readonly long[] _latencies = [.. Enumerable.Repeat(1L, capacity)];
    private readonly double[] _due = [.. Enumerable.Repeat(1.0, isOpen ? capacity : 0)];
    private readonly double[] _lags = [.. Enumerable.Repeat(1.0, isOpen ? capacity : 0)];
    private readonly List<int> _counts = [];
    private long _taken;
    private int _position;
    private int _stored;
    private int _kept;
    private int _failed;
    private long _dropped;

    /// <summary>The walkers of a process.</summary>
    public static Walker[] Of(Trial trial, int length)
    {
        var (walkers, isShared) = (trial.Walkers, trial.Shape.Window == "sliding");
        return Array.ConvertAll(
            new Walker[walkers], _ => new Walker(length, trial.Samples / walkers, isShared, trial.Open));
    }

    /// <summary>Goes to its first command.</summary>
    public void Begin(int first) => _taken = _position = first;

    /// <summary>The index of its next command.</summary>
    public int Next()
    {
        if (isShared)
        {
            return (int)((ulong)(Interlocked.Increment(ref _taken) - 1) % (ulong)length);
        }

        var index = _position;
        _position = index + 1 == length ? 0 : index + 1;
        return index;
    }

    /// <summary>A unit is complete.</summary>
    public void Add(long nanoseconds)
    {
        var at = isShared ? Interlocked.Increment(ref _stored) - 1 : _stored++;
        if ((uint)at < (uint)_latencies.Length)
        {
            _latencies[at] = nanoseconds;
        }
    }

    /// <summary>A unit of an open loop has ended; its latency is negative if it has failed.</summary>
    public void Add(long nanoseconds, Turn turn, bool failed)
    {
        var at = Interlocked.Increment(ref _stored) - 1;
        if ((uint)at < (uint)_latencies.Length)
        {
            (_latencies[at], _due[at], _lags[at]) = (nanoseconds, turn.Due, turn.Lag);
        }

        if (failed)
        {
            Interlocked.Increment(ref _failed);
        }
    }

    /// <summary>Ends a part of a slice; returns how many units were completed in it.</summary>
    public int End(bool keep)
    {
        var samples = _stored - _kept;
        var units = samples - _failed;
        if (keep)
        {
            _counts.Add(Math.Min(_stored, capacity) - _kept);
            _dropped += samples - _counts[^1];
            _kept += _counts[^1];
        }

        (_stored, _failed) = (_kept, 0);
        return units;
    }

    /// <summary>What all walkers have kept since the last time, by slice; empties their storage.</summary>
    public static Samples HandOver(Walker[] walkers, bool isOpen = false)
    {
        var slices = Enumerable.Range(0, walkers[0]._counts.Count).ToArray();
        var samples = new Samples(
            Column(walker => Array.ConvertAll(walker._latencies, latency => (double)latency)),
            Array.ConvertAll(slices, slice => walkers.Sum(walker => walker._counts[slice])),
            walkers.Sum(walker => walker._dropped),
            isOpen ? Column(walker => walker._due) : null,
            isOpen ? Column(walker => walker._lags) : null);
        foreach (var walker in walkers)
        {
            walker._counts.Clear();
            walker._dropped = walker._stored = walker._kept = 0;
        }

        return samples;

        byte[] Column(Func<Walker, double[]> column)
        {
            var columns = Array.ConvertAll(walkers, walker => column(walker));
            var all = slices.SelectMany(slice => walkers.SelectMany((walker, index) => walker.Of(columns[index], slice)));
            return MemoryMarshal.AsBytes<double>(all.ToArray()).ToArray();
        }
    }

    private ArraySegment<double> Of(double[] column, int slice) =>
        new(column, _counts.Take(slice).Sum(), _counts[slice]);
}
