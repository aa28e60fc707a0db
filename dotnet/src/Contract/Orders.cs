using System.Text.Json;

namespace Respmark.Contract;

/// <summary>What the harness tells a runner to do next.</summary>
/// <param name="Name">The contract's word for the order.</param>
internal abstract record Order(string Name);

/// <summary>Connect and verify replies.</summary>
internal sealed record ConnectOrder() : Order("connect");

/// <summary>What may come after <c>connect</c>: any number of slices, then <c>finish</c>.</summary>
internal abstract record WorkOrder(string Name) : Order(Name);

/// <summary>Work for one slice.</summary>
internal sealed record SliceOrder(int Number, long DurationNs, long LeadInNs, long FirstCommand, bool KeepSamples)
    : WorkOrder("slice");

/// <summary>Print the result.</summary>
internal sealed record FinishOrder() : WorkOrder("finish");

/// <summary>Parses a line of standard input that follows the trial.</summary>
internal static class OrderParser
{
    private static readonly string[] NameOnly = ["order"];
    private static readonly string[] SliceFields = [.. NameOnly, "slice", "duration_ns", "lead_in_ns", "first_command", "keep_samples"];

    private static readonly Dictionary<string, Func<JsonElement, Order>> Orders = new(StringComparer.Ordinal)
    {
        ["connect"] = json => Without(json, new ConnectOrder()),
        ["slice"] = json => Slice(Fields.Of(json, "slice", SliceFields)),
        ["finish"] = json => Without(json, new FinishOrder()),
    };

    public static Order Parse(ReadOnlyMemory<byte> line)
    {
        using var document = Fields.Document(line, "it is not JSON: an order is one JSON object on one line");
        var json = document.RootElement;
        return Fields.Of(json, "order", allowed: null).OneOf("order", Orders)(json);
    }

    private static Order Without(JsonElement json, Order order)
    {
        Fields.Of(json, order.Name, NameOnly);
        return order;
    }

    private static SliceOrder Slice(Fields fields) => new(
        fields.Integer("slice", least: 1),
        fields.Long("duration_ns", least: 1),
        fields.LongOr("lead_in_ns", 0, least: 0),
        fields.Long("first_command", least: 0),
        fields.Flag("keep_samples", fallback: null));
}
