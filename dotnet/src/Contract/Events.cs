using System.Text.Json;

namespace Respmark.Contract;

/// <summary>Connected, verified, warmed up, every reply received; waiting for <c>go</c>.</summary>
internal sealed record ReadyEvent(string TrialId, long StartupNs, int VerifiedReplies, long WarmupOperations);

/// <summary>How far the window is, once a second.</summary>
internal sealed record ProgressEvent(string TrialId, long ElapsedNs, long Operations);

/// <summary>One walker's walk through the workload.</summary>
internal readonly record struct Segment(int FirstCommand, long Operations);

/// <summary>The window's first half.</summary>
internal sealed record FirstHalf(long Operations, long ElapsedNs);

/// <summary>Latency of the scenario's units.</summary>
internal sealed record Latency(string SampleCovers, IReadOnlyList<(long Value, long Count)> Histogram, long MaxNs);

/// <summary>What was measured. Settings, health and versions are texts, whole numbers, fractions, true or false.</summary>
internal sealed record ResultEvent
{
    public required string TrialId { get; init; }

    public required long Operations { get; init; }

    public required long Units { get; init; }

    public required IReadOnlyList<Segment> Segments { get; init; }

    public required IReadOnlyDictionary<string, long> Errors { get; init; }

    public required string? FirstError { get; init; }

    public required long ElapsedNs { get; init; }

    public required FirstHalf? FirstHalf { get; init; }

    public required long CpuUserNs { get; init; }

    public required long CpuSystemNs { get; init; }

    public required Latency Latency { get; init; }

    public required long PeakMemoryBytes { get; init; }

    public required string DecodesTo { get; init; }

    public required IReadOnlyDictionary<string, object> RuntimeHealth { get; init; }

    public required IReadOnlyDictionary<string, object> RuntimeSettings { get; init; }

    public required IReadOnlyDictionary<string, string> Versions { get; init; }
}

/// <summary>Reads the one event that the harness sends.</summary>
internal static class GoEvent
{
    private const string Expected = "{\"event\":\"go\"}";

    /// <summary>Returns when the line says go; a null line is the end of standard input.</summary>
    public static void Check(byte[]? line)
    {
        if (line is null)
        {
            throw new RunnerException($"standard input ended before {Expected}: the harness went away");
        }

        if (!IsGo(line))
        {
            throw new RunnerException($"standard input must have the line {Expected} after the trial");
        }
    }

    private static bool IsGo(byte[] line)
    {
        try
        {
            using var document = JsonDocument.Parse(line);
            return document.RootElement is { ValueKind: JsonValueKind.Object } root
                && root.EnumerateObject().Count() == 1
                && root.TryGetProperty("event", out var name)
                && name is { ValueKind: JsonValueKind.String }
                && name.ValueEquals("go");
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
