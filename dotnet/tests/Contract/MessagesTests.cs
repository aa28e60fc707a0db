using System.Text.Json;
using Respmark.Contract;
using Respmark.Tests.Support;

namespace Respmark.Tests.Contract;

public class MessagesTests
{
    [Fact]
    public void ReadyIsAsTheGoldenOne() =>
        AssertSame("ready.json", Messages.Line(new ReadyEvent("golden", 312_000_000, 100, 40_000)));

    [Fact]
    public void ProgressIsAsTheGoldenOne() =>
        AssertSame("progress.json", Messages.Line(new ProgressEvent("golden", 1_000_120_000, 98_700)));

    [Fact]
    public void TheResultIsAsTheGoldenOne() => AssertSame("result.json", Messages.Line(new ResultEvent
    {
        TrialId = "golden",
        Operations = 300,
        Units = 3,
        Segments = [new Segment(0, 300)],
        Errors = new Dictionary<string, long>(StringComparer.Ordinal) { ["TimeoutError"] = 1 },
        FirstError = "TimeoutError: no reply in 5 s",
        ElapsedNs = 1_500_900_000,
        FirstHalf = new FirstHalf(200, 751_000_000),
        CpuUserNs = 900_000_000,
        CpuSystemNs = 200_000_000,
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
