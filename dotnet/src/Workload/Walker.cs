using Respmark.Contract;

namespace Respmark.Workload;

/// <summary>Takes one command after another, cyclically.</summary>
/// <param name="length">How many commands the workload has.</param>
/// <param name="distance">How many commands after a slice's first command it starts.</param>
internal sealed class Walker(int length, int distance)
{
    private int _position;

    /// <summary>Index of the command at which it started.</summary>
    public int First { get; private set; }

    /// <summary>Goes to its first command in a slice that starts at the given one; verification starts at 0.</summary>
    public void Begin(long firstCommand) => _position = First = (int)(((firstCommand % length) + distance) % length);

    /// <summary>Takes the next command; returns its index.</summary>
    public int Next()
    {
        var index = _position;
        _position = index + 1 == length ? 0 : index + 1;
        return index;
    }

    /// <summary>Walkers of this process's part, spread evenly over the workload with those of other parts.</summary>
    public static Walker[] Of(int length, WorkloadPart workload, int count) =>
    [
        .. Enumerable.Range(workload.Part * count, count)
            .Select(number => new Walker(length, (int)((long)number * length / ((long)workload.Parts * count)))),
    ];
}
