using System.Globalization;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Bare;

/// <summary>The bare loops as programs: what they claim is what the server counted.</summary>
public sealed class BareLoopTests(Server server) : IClassFixture<Server>, IDisposable
{
    private readonly string _workload = GetsAndSets();

    [Theory]
    [InlineData("sync", 1, 1)]
    [InlineData("threads", 1, 3)]
    [InlineData("pipelining", 10, 1)]
    [InlineData("batching", 10, 1)]
    public void EveryLineIsAnsweredWithWhatTheServerCounted(string scenario, int depth, int threads)
    {
        string[] words =
        [
            "--host", "127.0.0.1", "--port", $"{server.Port}", "--workload", _workload, "--scenario", scenario,
            "--depth", $"{depth}", "--threads", $"{threads}",
        ];
        using var loop = Runner.BareLoop(words);
        Assert.Equal("ready", loop.Line());
        foreach (var first in new[] { 0, 200 })
        {
            server.Command("CONFIG", "RESETSTAT");
            loop.Say($"0.1 {first}");
            var numbers = loop.Line().Split(' ').Select(number => long.Parse(number, CultureInfo.InvariantCulture)).ToArray();
            var calls = server.Calls();
            Assert.Equal(3, numbers.Length);
            Assert.Equal(numbers[0], calls["get"] + calls["set"]);
            Assert.Equal(0, numbers[0] % depth);
            Assert.True(numbers[1] >= 100_000_000 && numbers[2] > 0);
            if (threads == 1)
            {
                Assert.Equal(SetsFrom(first, numbers[0]), calls["set"]);
            }
        }

        loop.CloseInput();
        Assert.Equal((0, 0), (loop.End().ExitCode, loop.End().Errors.Length));
    }

    public void Dispose() => File.Delete(_workload);

    private static long SetsFrom(int first, long operations)
    {
        var table = WorkloadFile.Read(Golden.Workload);
        var sets = 0L;
        for (long done = 0; done < operations; done++)
        {
            sets += table.Kind((int)((first + done) % table.Length)).Name == "SET" ? 1 : 0;
        }

        return sets;
    }

    /// <summary>The golden workload with GET in place of what bare loops do not know.</summary>
    private static string GetsAndSets()
    {
        var content = File.ReadAllBytes(Golden.Workload);
        var header = WorkloadFile.Parse(content).Header;
        var names = header.Mix.Select(kind => kind.Name).ToList();
        foreach (ref var kind in content.AsSpan(header.Kinds.Offset, header.Kinds.Length))
        {
            kind = (byte)(names[kind] == "SET" ? kind : names.IndexOf("GET"));
        }

        var path = Path.GetTempFileName();
        File.WriteAllBytes(path, content);
        return path;
    }
}
