using System.Text.Json.Serialization;

namespace Respmark;

/// <summary>A trial's line. Fields that a scenario does not have are one, or null.</summary>
internal sealed record Trial(
    string Client, string Adapter, IReadOnlyDictionary<string, JsonElement> Options, string Scenario, Shape Shape,
    string Workload, int Samples, Server Server, bool Open = false)
{
    /// <summary>How many walkers each process has.</summary>
    public int Walkers => Scenario == "batching" ? Shape.Connections : Shape.Threads;

    public bool Has(string option, string value) => $"{Options.GetValueOrDefault(option)}" == value;
}

internal sealed record Shape(int Depth = 1, string? Window = null, int Threads = 1, int Connections = 1);

internal sealed record Server(
    string? Host, int? Port, string? UnixSocket, int Database, string? Username, string? Password, Tls? Tls);

internal sealed record Tls(string? CaFile, string? CertificateFile, string? KeyFile, bool Verify);

/// <summary>A line in: a trial, which has an adapter, or one of the others.</summary>
internal sealed record Order(
    string? Adapter = null, JsonElement? Connect = null, Echo? Echo = null, Work? Work = null, Bare? Bare = null, JsonElement? Samples = null,
    GoOn? KeepGoing = null);

internal sealed record Echo(int First, int Commands, long Bytes);
internal sealed record Work(int[] First, long LeadInNs, long Ns, bool Keep, Arrivals? Arrivals = null);
internal sealed record Arrivals(string File, long At, int LeadIn, long DrainNs, long? AwakeNs = null);
internal sealed record Bare(int First, long Ns);
internal sealed record GoOn(int[] First, Due Due, string Log, string Enough, long Until);
internal sealed record Due(string File, long At);

/// <summary>A line out: one of these is there.</summary>
internal sealed record Answer(
    Loaded? Loaded = null, JsonObject? Connected = null, JsonArray? Replies = null, Worked? Worked = null,
    Bared? Bared = null, Samples? Samples = null, Started? Started = null, string? Unsupported = null,
    JsonObject? Went = null);

internal sealed record Loaded(int Contract, IReadOnlyDictionary<string, string> Versions, JsonObject Settings);

/// <summary>A slice. Moments are the clock and the process's CPU time, in nanoseconds.</summary>
internal sealed record Worked(
    long[] Started, long[] MeasuredFrom, long[] Ended, int[] LeadIn, int[] Measured,
    IReadOnlyDictionary<string, long> Errors,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.Never)] string? FirstError,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.Never)] JsonObject? Cache = null);

internal sealed record Samples(
    byte[] Latencies, int[] Counts, long Dropped, byte[]? Due = null, byte[]? Lags = null);
internal sealed record Bared(long Units, long[] Started, long[] Ended);

/// <summary>How long each stage of a cold start took, in nanoseconds.</summary>
internal sealed record Started(
    long MainNs, long LoadNs, long CreateNs, long FirstNs,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.Never)] JsonNode? Reply,
    IReadOnlyDictionary<string, string> Versions);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Trial))]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Answer))]
[JsonSerializable(typeof(Header))]
[JsonSerializable(typeof(JsonObject))]
internal sealed partial class Lines : JsonSerializerContext;
