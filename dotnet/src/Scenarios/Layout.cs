using Respmark.Contract;

namespace Respmark.Scenarios;

/// <summary>What one latency sample of a shape covers.</summary>
internal static class Layout
{
    /// <summary>The contract's word for it.</summary>
    public static string SampleCovers(Shape shape) => shape.Scenario switch
    {
        Scenario.Pipelining when shape.Window == PipeliningWindow.Burst => "burst",
        Scenario.Batching => "batch",
        Scenario.Transaction => "transaction",
        Scenario.NewConnection => "connection",
        _ => "command",
    };
}
