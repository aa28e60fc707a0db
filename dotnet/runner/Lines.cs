using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

namespace Respmark;

/// <summary>The first line in. Fields that a scenario does not have are one, or null.</summary>
internal sealed record Trial(
    string Client,
    string Adapter,
    IReadOnlyDictionary<string, JsonElement> Options,
    string Scenario,
    Shape Shape,
    string Workload,
    int Part,
    int Parts,
    int Samples,
    Target Target)
{
    /// <summary>The value of an option whose values are words.</summary>
    public string? Option(string name) =>
        Options.TryGetValue(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}

internal sealed record Shape(int Depth = 1, string? Window = null, string? Form = null, int Threads = 1, int Connections = 1);

internal sealed record Target(
    string? Host, int? Port, string? UnixSocket, int Database, string? Username, string? Password, Tls? Tls);

internal sealed record Tls(string? CaFile, string? CertificateFile, string? KeyFile, bool Verify = true);

/// <summary>Every other line in: one of these is there.</summary>
internal sealed record Order(JsonElement? Connect, EchoOrder? Echo, WorkOrder? Work, BareOrder? Bare, JsonElement? Samples);

internal sealed record EchoOrder(int Commands, long Bytes);

internal sealed record WorkOrder(long First, long LeadInNs, long Ns, bool Keep);

internal sealed record BareOrder(long First, long Ns);

/// <summary>A line out: one of these is there.</summary>
internal sealed record Answer
{
    public Loaded? Loaded { get; init; }

    public Connected? Connected { get; init; }

    public JsonArray? Replies { get; init; }

    public Worked? Worked { get; init; }

    public Handed? Samples { get; init; }

    public Bared? Bared { get; init; }

    public string? Unsupported { get; init; }
}

internal sealed record Loaded(int Contract, IReadOnlyDictionary<string, string> Versions, JsonObject Settings);

internal sealed record Connected;

/// <summary>A slice. Moments are the clock and the process's CPU time, in nanoseconds.</summary>
internal sealed record Worked(
    long[] Started,
    long[] MeasuredFrom,
    long[] Ended,
    int[] LeadIn,
    int[] Measured,
    IReadOnlyDictionary<string, long> Errors,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.Never)] string? FirstError,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.Never)] JsonObject? Cache = null);

internal sealed record Handed(byte[] Latencies, int[] Counts, long Dropped);

internal sealed record Bared(long Units, long[] Started, long[] Ended);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Trial))]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Answer))]
[JsonSerializable(typeof(Header))]
internal sealed partial class Lines : JsonSerializerContext;
