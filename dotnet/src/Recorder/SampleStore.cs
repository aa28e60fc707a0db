namespace Respmark.Recorder;

/// <summary>
/// Room for the raw samples of all walkers, made and written through beforehand, so that the window pays neither for
/// memory nor for page faults; and the histogram that they are folded into.
/// </summary>
internal sealed class SampleStore
{
    /// <summary>Samples of all walkers together: 16 MiB, a minute and more of most scenarios.</summary>
    private const int MostSamples = 1 << 21;

    private const int LeastSamples = 1 << 10;

    private readonly long[][] _rooms;
    private readonly Lock _folding = new();

    public SampleStore(int walkers)
    {
        var samples = Math.Max(MostSamples / walkers, LeastSamples);
        _rooms = [.. Enumerable.Range(0, walkers).Select(_ => Touched(samples))];
    }

    public Histogram Histogram { get; private set; } = new();

    public long Bytes => _rooms.Sum(room => (long)room.Length * sizeof(long));

    public long[] Room(int walker) => _rooms[walker];

    /// <summary>Forgets what was folded, as before the window.</summary>
    public void Clear() => Histogram = new Histogram();

    /// <summary>Folds samples in ticks into the histogram; they are nanoseconds afterwards.</summary>
    public void Fold(Span<long> samples)
    {
        foreach (ref var sample in samples)
        {
            sample = Clock.Nanoseconds(sample);
        }

        lock (_folding)
        {
            Histogram.Add(samples);
        }
    }

    private static long[] Touched(int samples)
    {
        var room = new long[samples];
        Array.Fill(room, 1L);
        return room;
    }
}
