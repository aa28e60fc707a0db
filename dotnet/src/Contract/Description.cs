namespace Respmark.Contract;

/// <summary>What this runner can do here.</summary>
internal sealed record Description(
    string RuntimeVersion, IReadOnlyList<ClientDescription> Clients, IReadOnlyList<MissingClient> Missing);

/// <summary>
/// A client library that can be driven here: its options with their possible values, the default first; the RESP
/// version that it speaks as installed; and its scenarios with their windows and forms.
/// </summary>
internal sealed record ClientDescription(
    string Library,
    string Version,
    IReadOnlyDictionary<string, object[]> Options,
    int Protocol,
    IReadOnlyDictionary<Scenario, ScenarioSupport> Scenarios,
    IReadOnlyList<Difference> Differences);

/// <summary>
/// One setting of a library, or of its runtime, that differs from a plain install; no scenarios: in all of them.
/// </summary>
internal sealed record Difference(string Setting, string Plain, string Ours, string Why, params Scenario[] Scenarios);

/// <summary>The variants of a scenario that a client can express.</summary>
internal sealed record ScenarioSupport(PipeliningWindow[] Windows, TransactionForm[] Forms)
{
    public static readonly ScenarioSupport Plain = new([], []);
}

/// <summary>A client library that cannot be loaded here, and what to do.</summary>
internal sealed record MissingClient(string Library, string Reason, string Advice);
