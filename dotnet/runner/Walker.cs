namespace Respmark;

/// <summary>Takes one command after another, cyclically.</summary>
/// <param name="length">How many commands the workload has.</param>
/// <param name="distance">How many commands after a slice's first it starts.</param>
internal sealed class Walker(int length, int distance)
{
    private int _next;
    private int _begin;
    private int _taken;

    /// <summary>Goes to its first command of a slice that starts at <paramref name="first"/>.</summary>
    public void Begin(long first)
    {
        _next = _begin = (int)((first + distance) % length);
        _taken = 0;
    }

    /// <summary>The index of its next command, which it has not taken yet.</summary>
    public int Position => _next;

    /// <summary>Takes its next command; returns the index.</summary>
    public int Next()
    {
        var index = _next;
        _next = index + 1 == length ? 0 : index + 1;
        return index;
    }

    /// <summary>The same where several places share a walker, which then takes all its commands so.</summary>
    public int NextShared() => (int)(((uint)_begin + (uint)Interlocked.Increment(ref _taken) - 1) % (uint)length);

    /// <summary>The walkers of a process, spread evenly over the workload with those of other processes.</summary>
    public static Walker[] Of(Trial trial, int length)
    {
        var (threads, all) = (trial.Shape.Threads, (long)trial.Parts * trial.Shape.Threads);
        return [.. Enumerable.Range(trial.Part * threads, threads).Select(number => new Walker(length, (int)(number * length / all)))];
    }
}
