namespace Respmark.Contract;

/// <summary>Library loaded, commands materialised; waiting for <c>connect</c>.</summary>
internal sealed record LoadedEvent(string TrialId, long StartupNs);

/// <summary>Every connection is open, replies are verified; waiting for <c>slice</c>.</summary>
internal sealed record ReadyEvent(string TrialId, long ConnectNs, int VerifiedReplies);

/// <summary>The process at one moment of a slice: the monotonic clock, and its CPU time since it started.</summary>
internal readonly record struct Moment(long AtNs, long CpuUserNs, long CpuSystemNs);

/// <summary>What was completed without error in one part of a slice.</summary>
internal readonly record struct Work(long Operations, long Units);

/// <summary>One walker's path through the workload in a slice, lead-in and measured part together.</summary>
internal readonly record struct Segment(int FirstCommand, long Operations);

/// <summary>The ordered slice is done, and all its replies are in.</summary>
internal sealed record SliceEvent
{
    public required string TrialId { get; init; }

    public required int Slice { get; init; }

    public required Moment Started { get; init; }

    public required Moment MeasuredFrom { get; init; }

    public required Moment Ended { get; init; }

    public required Work LeadIn { get; init; }

    public required Work Measured { get; init; }

    public required IReadOnlyList<Segment> Segments { get; init; }

    public required IReadOnlyDictionary<string, long> Errors { get; init; }

    public required string? FirstError { get; init; }
}

/// <summary>Latency in the measured parts of all slices whose samples are kept.</summary>
internal sealed record Latency(string SampleCovers, IReadOnlyList<(long Value, long Count)> Histogram, long MaxNs);

/// <summary>What is reported once, after the last slice. Health and settings: strings, numbers, booleans.</summary>
internal sealed record ResultEvent
{
    public required string TrialId { get; init; }

    public required Latency Latency { get; init; }

    public required long PeakMemoryBytes { get; init; }

    public required string DecodesTo { get; init; }

    public required IReadOnlyDictionary<string, object> RuntimeHealth { get; init; }

    public required IReadOnlyDictionary<string, object> RuntimeSettings { get; init; }

    public required IReadOnlyDictionary<string, string> Versions { get; init; }
}
