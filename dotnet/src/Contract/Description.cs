namespace Respmark.Contract;

/// <summary>What this runner can do here and now.</summary>
internal sealed record Description(
    string RuntimeVersion, IReadOnlyList<ClientDescription> Clients, IReadOnlyList<MissingClient> Missing);

/// <summary>A library that can be driven here: its scenarios with their windows and forms, its options' values.</summary>
internal sealed record ClientDescription(
    string Library,
    string Version,
    IReadOnlyDictionary<string, object[]> Options,
    IReadOnlyDictionary<Scenario, ScenarioSupport> Scenarios);

/// <summary>The variants of a scenario that an adapter has.</summary>
internal sealed record ScenarioSupport(PipeliningWindow[] Windows, TransactionForm[] Forms)
{
    public static readonly ScenarioSupport Plain = new([], []);
}

/// <summary>A library that cannot be driven here, and what to do.</summary>
internal sealed record MissingClient(string Library, string Reason, string Advice);
