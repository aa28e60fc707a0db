using System.Text.Json;
using Respmark.Contract;
using Respmark.Tests.Support;

namespace Respmark.Tests.Contract;

public class MessagesTests
{
    [Fact]
    public void LoadedIsAsTheGoldenOne() =>
        AssertSame("loaded.json", Messages.Line(new LoadedEvent("golden", 312_000_000)));

    [Fact]
    public void ReadyIsAsTheGoldenOne() =>
        AssertSame("ready.json", Messages.Line(new ReadyEvent("golden", 1_500_000, 100)));

    [Fact]
    public void ASliceIsAsTheGoldenOne() => AssertSame("slice.json", Messages.Line(new SliceEvent
    {
        TrialId = "golden",
        Slice = 1,
        Started = new Moment(5_000_000_000, 400_000_000, 50_000_000),
        MeasuredFrom = new Moment(5_050_400_000, 436_000_000, 58_000_000),
        Ended = new Moment(5_151_300_000, 508_000_000, 74_000_000),
        LeadIn = new Work(100, 1),
        Measured = new Work(200, 2),
        Segments = [new Segment(60, 300)],
        Errors = new Dictionary<string, long>(StringComparer.Ordinal) { ["TimeoutError"] = 1 },
        FirstError = "TimeoutError: no reply in 5 s",
    }));

    [Fact]
    public void TheResultIsAsTheGoldenOne() => AssertSame("result.json", Messages.Line(new ResultEvent
    {
        TrialId = "golden",
        Latency = new Latency("batch", [(702_976, 2), (810_496, 1)], 810_777),
        PeakMemoryBytes = 52_428_800,
        DecodesTo = "bytes",
        RuntimeHealth = new Dictionary<string, object>(StringComparer.Ordinal) { ["gc_collections"] = 3 },
        RuntimeSettings = new Dictionary<string, object>(StringComparer.Ordinal) { ["gc"] = "on" },
        Versions = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["a-library"] = "1.2.3",
            ["a-runtime"] = "4.5.6",
        },
    }));

    private static void AssertSame(string golden, ReadOnlyMemory<byte> line)
    {
        Assert.Equal((byte)'\n', line.Span[^1]);
        Assert.Equal(1, line.Span.Count((byte)'\n'));
        using var said = JsonDocument.Parse(line);
        Assert.True(JsonElement.DeepEquals(Golden.Json(golden), said.RootElement), said.RootElement.ToString());
    }
}
