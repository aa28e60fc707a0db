using Respmark.Contract;

namespace Respmark.Workload;

/// <summary>Takes one command after the other, cyclically.</summary>
internal sealed class Walker(int length, int first)
{
    /// <summary>Index of the command that it began with.</summary>
    public int First { get; } = first;

    /// <summary>Index of the command that comes next.</summary>
    public int Position { get; private set; } = first;

    /// <summary>Index of the next command, which is hereby taken.</summary>
    public int Next()
    {
        var index = Position;
        Position = index + 1 == length ? 0 : index + 1;
        return index;
    }

    /// <summary>Walkers of this process's part, each at its own first command.</summary>
    public static Walker[] Of(int length, WorkloadPart workload, int count) =>
    [
        .. Enumerable.Range(workload.Part * count, count)
            .Select(number => new Walker(length, (int)((long)number * length / ((long)workload.Parts * count)))),
    ];
}
