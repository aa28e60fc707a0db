namespace Respmark.Contract;

/// <summary>Parses the shape of a scenario; refuses fields that the scenario does not use.</summary>
internal static class ShapeParser
{
    private static readonly string[] All =
        ["depth", "window", "form", "threads", "connections", "max_total", "max_idle", "cache_entries"];

    private static readonly Dictionary<Scenario, Use> Uses = new()
    {
        [Scenario.Sync] = new([]),
        [Scenario.Pipelining] = new(["depth", "window"], "threads"),
        [Scenario.Batching] = new(["depth"]),
        [Scenario.Transaction] = new(["depth", "form"]),
        [Scenario.Threads] = new(["threads", "connections"]),
        [Scenario.Pool] = new(["threads", "max_total"], "max_idle"),
        [Scenario.NewConnection] = new([]),
        [Scenario.Caching] = new(["cache_entries"]),
    };

    public static Shape Parse(Fields fields, Scenario scenario)
    {
        fields.IntegerOr("processes", 1, least: 1);
        CheckUse(fields, scenario);
        _ = (fields.OptionalInteger("max_total", least: 1), fields.OptionalInteger("max_idle", least: 0));
        _ = fields.OptionalInteger("cache_entries", least: 1);
        return new Shape(
            scenario,
            fields.OptionalInteger("depth", least: 1),
            fields.Has("window") ? fields.OneOf("window", Words.Windows) : null,
            fields.Has("form") ? fields.OneOf("form", Words.Forms) : null,
            fields.OptionalInteger("threads", least: 1),
            fields.OptionalInteger("connections", least: 1));
    }

    /// <summary>The fields that a shape can have.</summary>
    public static IReadOnlyCollection<string> Names { get; } = [.. All, "processes"];

    private static void CheckUse(Fields fields, Scenario scenario)
    {
        var (required, optional) = Uses[scenario];
        var name = Words.Of(Words.Scenarios, scenario);
        if (required.FirstOrDefault(field => !fields.Has(field)) is { } missing)
        {
            throw new InvalidInputException(
                $"{fields.At(missing)} is missing: {name} needs {string.Join(", ", required)}");
        }

        bool IsUsed(string field) => required.Contains(field, StringComparer.Ordinal) || field == optional;
        if (All.FirstOrDefault(field => fields.Has(field) && !IsUsed(field)) is { } excess)
        {
            var used = All.Where(IsUsed).Append("processes");
            throw new InvalidInputException(
                $"{fields.At(excess)} has no meaning for {name}, which uses {string.Join(", ", used)}");
        }
    }

    private sealed record Use(string[] Required, string? Optional = null);
}
