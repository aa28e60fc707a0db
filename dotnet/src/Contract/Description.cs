namespace Respmark.Contract;

/// <summary>What this runner can do here and now.</summary>
internal sealed record Description(
    string RuntimeVersion, IReadOnlyList<ClientDescription> Clients, IReadOnlyList<MissingClient> Missing);

/// <summary>
/// A library that can be driven here: its options' values, the RESP version that it speaks as installed, and its
/// scenarios with their windows and forms.
/// </summary>
internal sealed record ClientDescription(
    string Library,
    string Version,
    IReadOnlyDictionary<string, object[]> Options,
    int Protocol,
    IReadOnlyDictionary<Scenario, ScenarioSupport> Scenarios,
    IReadOnlyList<Difference> Differences);

/// <summary>
/// One thing in which a library, or the runtime, is not set as a plain install is; no scenarios: in all of them.
/// </summary>
internal sealed record Difference(string Setting, string Plain, string Ours, string Why, params Scenario[] Scenarios);

/// <summary>The variants of a scenario that an adapter has.</summary>
internal sealed record ScenarioSupport(PipeliningWindow[] Windows, TransactionForm[] Forms)
{
    public static readonly ScenarioSupport Plain = new([], []);
}

/// <summary>A library that cannot be driven here, and what to do.</summary>
internal sealed record MissingClient(string Library, string Reason, string Advice);
