using System.Numerics;

namespace Respmark.Recorder;

/// <summary>Counts of samples on the HdrHistogram scale with 3 significant digits.</summary>
internal sealed class Histogram
{
    /// <summary>Each value below 2^11 has its own bucket; each power of two above has 1,024.</summary>
    private const int ExactBits = 11;

    private const int BucketBits = ExactBits - 1;
    private const int Shifts = 64 - ExactBits;

    private readonly Lock _adding = new();
    private readonly long[] _counts = new long[(1 << ExactBits) + (Shifts << BucketBits)];

    /// <summary>The largest sample, exact.</summary>
    public long Max { get; private set; }

    /// <summary>The lowest value of the bucket that <paramref name="value"/> falls into.</summary>
    public static long Bucket(long value) => LowestValue(IndexOf(value));

    /// <summary>Counts samples in whole nanoseconds, from any thread.</summary>
    public void Add(ReadOnlySpan<long> nanoseconds)
    {
        lock (_adding)
        {
            foreach (var value in nanoseconds)
            {
                _counts[IndexOf(value)]++;
                Max = Math.Max(Max, value);
            }
        }
    }

    /// <summary>The buckets that are not empty, ascending.</summary>
    public IReadOnlyList<(long Value, long Count)> Sparse()
    {
        var pairs = new List<(long Value, long Count)>();
        for (var index = 0; index < _counts.Length; index++)
        {
            if (_counts[index] > 0)
            {
                pairs.Add((LowestValue(index), _counts[index]));
            }
        }

        return pairs;
    }

    private static int IndexOf(long value)
    {
        var shift = Math.Max(0, 64 - BitOperations.LeadingZeroCount((ulong)value) - ExactBits);
        return (shift << BucketBits) + (int)(value >> shift);
    }

    private static long LowestValue(int index)
    {
        var shift = Math.Max(0, (index >> BucketBits) - 1);
        return (long)(index - (shift << BucketBits)) << shift;
    }
}
