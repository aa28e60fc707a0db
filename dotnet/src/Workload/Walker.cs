using Respmark.Contract;

namespace Respmark.Workload;

/// <summary>Takes one command after the other, cyclically.</summary>
/// <param name="length">Commands of the workload.</param>
/// <param name="distance">How far behind a slice's first command it begins.</param>
internal sealed class Walker(int length, int distance)
{
    private int _position;

    /// <summary>Index of the command that it began with.</summary>
    public int First { get; private set; }

    /// <summary>Goes to where it begins in a slice, or in verification, whose first command is 0.</summary>
    public void Begin(long firstCommand) => _position = First = (int)(((firstCommand % length) + distance) % length);

    /// <summary>Index of the next command, which is hereby taken.</summary>
    public int Next()
    {
        var index = _position;
        _position = index + 1 == length ? 0 : index + 1;
        return index;
    }

    /// <summary>Walkers of this process's part, spread over the workload.</summary>
    public static Walker[] Of(int length, WorkloadPart workload, int count) =>
    [
        .. Enumerable.Range(workload.Part * count, count)
            .Select(number => new Walker(length, (int)((long)number * length / ((long)workload.Parts * count)))),
    ];
}
