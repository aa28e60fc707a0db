namespace Respmark.Contract;

/// <summary>The contract's words for the code's enumerations.</summary>
internal static class Words
{
    /// <summary>Version of every message and of the workload file; any other is refused.</summary>
    public const int SchemaVersion = 2;

    public static readonly IReadOnlyDictionary<string, Scenario> Scenarios =
        new Dictionary<string, Scenario>(StringComparer.Ordinal)
        {
            ["sync"] = Scenario.Sync,
            ["pipelining"] = Scenario.Pipelining,
            ["batching"] = Scenario.Batching,
            ["transaction"] = Scenario.Transaction,
            ["threads"] = Scenario.Threads,
            ["pool"] = Scenario.Pool,
            ["new-connection"] = Scenario.NewConnection,
            ["caching"] = Scenario.Caching,
        };

    public static readonly IReadOnlyDictionary<string, PipeliningWindow> Windows =
        new Dictionary<string, PipeliningWindow>(StringComparer.Ordinal)
        {
            ["burst"] = PipeliningWindow.Burst,
            ["sliding"] = PipeliningWindow.Sliding,
        };

    public static readonly IReadOnlyDictionary<string, TransactionForm> Forms =
        new Dictionary<string, TransactionForm>(StringComparer.Ordinal)
        {
            ["queued"] = TransactionForm.Queued,
            ["batched"] = TransactionForm.Batched,
        };

    /// <summary>The word for a value.</summary>
    public static string Of<T>(IReadOnlyDictionary<string, T> words, T value)
        where T : struct, Enum => words.First(pair => pair.Value.Equals(value)).Key;
}
