using System.Runtime.InteropServices;

namespace Respmark;

/// <summary>
/// The units that one walker completed and how long each took, in storage whose memory has been touched. Every unit is
/// stored, in lead-ins, too; what is not kept is overwritten. Units for which there is no room are counted.
/// </summary>
internal sealed class Samples
{
    private readonly long[] _latencies;
    private readonly List<int> _counts = [];
    private int _next;
    private int _kept;
    private long _dropped;

    public Samples(int capacity)
    {
        _latencies = new long[capacity];
        Array.Fill(_latencies, 1L);
    }

    /// <summary>A unit is complete.</summary>
    public void Add(long nanoseconds)
    {
        var at = _next++;
        if ((uint)at < (uint)_latencies.Length)
        {
            _latencies[at] = nanoseconds;
        }
    }

    /// <summary>The same where several places share a walker.</summary>
    public void AddShared(long nanoseconds)
    {
        var at = Interlocked.Increment(ref _next) - 1;
        if ((uint)at < (uint)_latencies.Length)
        {
            _latencies[at] = nanoseconds;
        }
    }

    /// <summary>Ends a part of a slice; returns how many units were completed in it.</summary>
    public int End(bool keep)
    {
        var units = _next - _kept;
        if (keep)
        {
            var count = Math.Min(_next, _latencies.Length) - _kept;
            _counts.Add(count);
            _kept += count;
            _dropped += units - count;
        }

        _next = _kept;
        return units;
    }

    /// <summary>What all walkers have kept since the last time, by slice; empties their storage.</summary>
    public static Handed HandOver(Samples[] walkers)
    {
        var counts = new int[walkers[0]._counts.Count];
        var latencies = new double[walkers.Sum(walker => walker._kept)];
        var at = 0;
        for (var slice = 0; slice < counts.Length; slice++)
        {
            foreach (var walker in walkers)
            {
                var begin = walker._counts.Take(slice).Sum();
                foreach (var latency in walker._latencies.AsSpan(begin, walker._counts[slice]))
                {
                    latencies[at++] = latency;
                }

                counts[slice] += walker._counts[slice];
            }
        }

        var dropped = walkers.Sum(walker => walker._dropped);
        Array.ForEach(walkers, walker => walker.Empty());
        return new Handed(MemoryMarshal.AsBytes<double>(latencies).ToArray(), counts, dropped);
    }

    private void Empty()
    {
        _counts.Clear();
        _next = _kept = 0;
        _dropped = 0;
    }
}
