namespace Respmark;

/// <summary>
/// Takes one command after another, cyclically, and keeps how long each unit took, in storage whose memory has been
/// touched. Every unit is stored, in lead-ins, too: what is not kept is overwritten, and what has no room is counted.
/// </summary>
/// <param name="length">How many commands the workload has.</param>
/// <param name="distance">How many commands after a slice's first it starts.</param>
/// <param name="capacity">How many latencies it keeps.</param>
/// <param name="isShared">Whether the places of a sliding window use it at once, on whichever threads.</param>
internal sealed class Walker(int length, int distance, int capacity, bool isShared)
{
    private readonly long[] _latencies = [.. Enumerable.Repeat(1L, capacity)];
    private readonly List<int> _counts = [];
    private long _taken;
    private int _position;
    private int _stored;
    private int _kept;
    private long _dropped;

    /// <summary>The walkers of a process, spread evenly over the workload with those of other processes.</summary>
    public static Walker[] Of(Trial trial, int length)
    {
        var (threads, isShared) = (trial.Shape.Threads, trial.Shape.Window == "sliding");
        var distances = Enumerable.Range(trial.Part * threads, threads)
            .Select(number => (int)((long)number * length / (trial.Parts * threads)));
        return [.. distances.Select(distance => new Walker(length, distance, trial.Samples / threads, isShared))];
    }

    /// <summary>Goes to its first command of a slice that starts at <paramref name="first"/>.</summary>
    public void Begin(long first) => _taken = _position = (int)((first + distance) % length);

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

    /// <summary>Ends a part of a slice; returns how many units were completed in it.</summary>
    public int End(bool keep)
    {
        var units = _stored - _kept;
        if (keep)
        {
            _counts.Add(Math.Min(_stored, capacity) - _kept);
            _dropped += units - _counts[^1];
            _kept += _counts[^1];
        }

        _stored = _kept;
        return units;
    }

    /// <summary>What all walkers have kept since the last time, by slice; empties their storage.</summary>
    public static Samples HandOver(Walker[] walkers)
    {
        var slices = Enumerable.Range(0, walkers[0]._counts.Count).ToArray();
        var latencies = slices.SelectMany(slice => walkers.SelectMany(walker => walker.Of(slice)))
            .Select(latency => (double)latency).ToArray();
        var counts = Array.ConvertAll(slices, slice => walkers.Sum(walker => walker._counts[slice]));
        var dropped = walkers.Sum(walker => walker._dropped);
        foreach (var walker in walkers)
        {
            walker._counts.Clear();
            walker._dropped = walker._stored = walker._kept = 0;
        }

        return new Samples(MemoryMarshal.AsBytes<double>(latencies).ToArray(), counts, dropped);
    }

    private ArraySegment<long> Of(int slice) => new(_latencies, _counts.Take(slice).Sum(), _counts[slice]);
}
