using System.Reflection;
using System.Runtime.CompilerServices;
using Respmark.Contract;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>The library StackExchange.Redis: its options and scenarios.</summary>
internal sealed class StackExchangeRedis : Library
{
    public const string Decode = "decode";
    public const string Text = "text";
    public const string Bytes = "bytes";
    public const string Api = "api";

    private static readonly Dictionary<string, object[]> Options = new(StringComparer.Ordinal)
    {
        [Decode] = [Bytes, Text],
        [Api] = ["sync", "async"],
        [RuntimeOptions.ServerGc] = [false, true],
        [RuntimeOptions.ThreadPoolMinimum] = ["default", RuntimeOptions.Threads],
    };

    private static readonly Dictionary<Scenario, ScenarioSupport> Scenarios = new()
    {
        [Scenario.Sync] = ScenarioSupport.Plain,
        [Scenario.Pipelining] = new([PipeliningWindow.Burst, PipeliningWindow.Sliding], []),
        [Scenario.Batching] = ScenarioSupport.Plain,
        [Scenario.Transaction] = new([], [TransactionForm.Batched]),
        [Scenario.Threads] = ScenarioSupport.Plain,
        [Scenario.NewConnection] = ScenarioSupport.Plain,
    };

    private static readonly Difference[] Differences =
    [
        new(
            "TieBreaker",
            "__Booksleeve_TieBreak",
            "none",
            "every connection would GET it: a command of the workload that nobody asked for"),
        new("System.Globalization.Invariant", "false", "true", "the runner needs no libraries of the system for it"),
    ];

    public override string Name => "stackexchange-redis";

    public override IReadOnlyDictionary<string, string> Versions => new Dictionary<string, string>(StringComparer.Ordinal)
    {
        [Name] = LoadedVersion(),
        [".NET"] = Environment.Version.ToString(),
    };

    public override ClientDescription Describe() => new(Name, LoadedVersion(), Options, Configuration.Protocol(), Scenarios, Differences);

    public override string? Objection(Trial trial) => trial switch
    {
        { Shape.Scenario: Scenario.Pool } =>
            "the library has no pool: several multiplexers are the shape `connections` of threads",
        { Shape.Scenario: Scenario.Caching } => "the library has no client-side caching",
        { Shape.Form: TransactionForm.Queued } =>
            "a transaction is sent as one block at ExecuteAsync(): use the form batched",
        _ => LibraryDifferences.Objection(trial.Target),
    };

    public override ISession Load(Trial trial, CommandTable workload) => new StackExchangeRedisSession(trial, workload);

    /// <summary>
    /// The assembly's informational version, without the commit that some releases add. Not inlined: if the assembly
    /// cannot be loaded, the exception is thrown here, not in the caller.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string LoadedVersion() => typeof(ConnectionMultiplexer).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
}
