using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Main;

/// <summary>Every scenario against a real server, whose counters must say what the slices say.</summary>
public class ScenarioTests(Server server) : IClassFixture<Server>
{
    private static readonly string[] Ours =
    [
        "info", "config", "cluster", "echo", "ping", "select", "client", "hello", "quit", "subscribe", "sentinel",
    ];

    private static readonly string[] Parts = ["lead_in", "measured"];
    private static readonly string[] Moments = ["started", "measured_from", "ended"];

    [Theory]
    [InlineData("sync", "{}", "command", 1)]
    [InlineData("pipelining", """{"depth":10,"window":"burst"}""", "burst", 10)]
    [InlineData("pipelining", """{"depth":10,"window":"burst","threads":3}""", "burst", 10)]
    [InlineData("pipelining", """{"depth":10,"window":"sliding"}""", "command", 1)]
    [InlineData("pipelining", """{"depth":10,"window":"sliding","threads":3}""", "command", 1)]
    [InlineData("batching", """{"depth":100}""", "batch", 100)]
    [InlineData("transaction", """{"depth":10,"form":"batched"}""", "transaction", 10)]
    [InlineData("threads", """{"threads":4,"connections":1}""", "command", 1)]
    [InlineData("threads", """{"threads":4,"connections":2}""", "command", 1)]
    [InlineData("new-connection", "{}", "connection", 1)]
    [InlineData("sync", "{}", "command", 1, "async")]
    [InlineData("threads", """{"threads":4,"connections":2}""", "command", 1, "async")]
    [InlineData("new-connection", "{}", "connection", 1, "async")]
    public void TheServerCountedWhatEachSliceClaims(
        string scenario, string shape, string covers, int perUnit, string api = "sync")
    {
        var trial = Runner.Trial(server.Port, scenario, shape);
        trial["client"]!["options"] = new JsonObject { ["api"] = api };
        using var runner = Runner.Ready(trial);
        var kept = 0L;
        for (var number = 1; number <= 3; number++)
        {
            server.Command("CONFIG", "RESETSTAT");
            var slice = runner.Slice(number, firstCommand: 70 * number, keep: number > 1);
            Assert.Equal(ExpectedCalls(slice, scenario), Workload(server.Calls()));
            Assert.Equal(number, slice.GetProperty("slice").GetInt32());
            Assert.Equal(70 * number, slice.GetProperty("segments")[0].GetProperty("first_command").GetInt32());
            Assert.Empty(slice.GetProperty("errors").EnumerateObject());
            Assert.Equal(JsonValueKind.Null, slice.GetProperty("first_error").ValueKind);
            Assert.All(Parts, part => Assert.Equal(
                slice.GetProperty(part).GetProperty("units").GetInt64() * perUnit,
                slice.GetProperty(part).GetProperty("operations").GetInt64()));
            kept += number > 1 ? slice.GetProperty("measured").GetProperty("units").GetInt64() : 0;
        }

        var latency = runner.Finish().GetProperty("latency");
        runner.CloseInput();
        Assert.Equal((0, 0), (runner.End().ExitCode, runner.End().Errors.Length));
        Assert.Equal(covers, latency.GetProperty("sample_covers").GetString());
        Assert.Equal(kept, latency.GetProperty("histogram").EnumerateArray().Sum(pair => pair[1].GetInt64()));
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("pipelining", """{"depth":10,"window":"burst"}""")]
    [InlineData("batching", """{"depth":10}""")]
    [InlineData("transaction", """{"depth":10,"form":"batched"}""")]
    public void EveryCommandIsVerifiedAndArrivesAsItStandsInTheFile(string scenario, string shape)
    {
        server.PreloadStructures();
        var trial = Runner.Trial(server.Port, scenario, shape);
        trial["workload"] = new JsonObject { ["path"] = Golden.Commands };
        trial["verify_commands"] = 200;
        using var runner = Runner.Ready(trial);
        server.Command("CONFIG", "RESETSTAT");
        var slice = runner.Slice();
        Assert.Equal(ExpectedCalls(slice, scenario, Golden.Commands), Workload(server.Calls()));
        Assert.Empty(slice.GetProperty("errors").EnumerateObject());
    }

    [Fact]
    public void MomentsAreOfTheMachinesClockAndOfCpuSinceTheStart()
    {
        using var runner = Runner.Ready(Runner.Trial(server.Port));
        var from = Stopwatch.GetTimestamp();
        var slices = new[] { runner.Slice(1), runner.Slice(2, leadIn: 0) };
        var moments = slices.SelectMany(slice => Moments.Select(slice.GetProperty)).ToList();
        var clock = moments.ConvertAll(moment => moment.GetProperty("at_ns").GetInt64());
        Assert.Equal(clock.Order(), clock);
        Assert.True(clock[0] >= from && clock[^1] <= Stopwatch.GetTimestamp());
        Assert.True(clock[1] - clock[0] >= 50_000_000 && clock[2] - clock[1] >= 100_000_000);
        Assert.All(["cpu_user_ns", "cpu_system_ns"], name =>
        {
            var used = moments.ConvertAll(moment => moment.GetProperty(name).GetInt64());
            Assert.Equal(used.Order(), used);
        });
        Assert.Equal(0, slices[1].GetProperty("lead_in").GetProperty("operations").GetInt64());
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("batching", """{"depth":100}""")]
    [InlineData("threads", """{"threads":4,"connections":2}""")]
    public void ConnectionsOpenAtConnectAndStayUntilTheInputEnds(string scenario, string shape)
    {
        using var runner = Runner.Loaded(Runner.Trial(server.Port, scenario, shape));
        var loaded = server.Connections();
        runner.Connect();
        var ready = server.Connections();
        runner.Slice(1);
        runner.Slice(2);
        runner.Finish();
        Assert.True(ready.Received > loaded.Received);
        Assert.Equal(ready, server.Connections());
    }

    [Fact]
    public void AProcessBeginsAtItsOwnPart()
    {
        var trial = Runner.Trial(server.Port, "threads", """{"threads":2,"connections":1,"processes":2}""");
        trial["workload"]!["part"] = 1;
        trial["workload"]!["parts"] = 2;
        using var runner = Runner.Ready(trial);
        Assert.Equal([120, 180], FirstsOf(runner.Slice(1)));
        Assert.Equal([220, 40], FirstsOf(runner.Slice(2, firstCommand: 100)));
    }

    [Fact]
    public void AnotherDatabaseIsSelected()
    {
        var trial = Runner.Trial(server.Port);
        trial["target"]!["database"] = 3;
        trial["verify_commands"] = 0;
        server.Command("CONFIG", "RESETSTAT");
        Finished(trial);
        Assert.Contains("db3:", server.Command("INFO", "keyspace").ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void OptionsAreDoneAndStated()
    {
        var trial = Runner.Trial(server.Port);
        trial["client"]!["options"] = JsonNode.Parse(
            """{"decode":"text","server-gc":true,"thread-pool-minimum":64}""");
        var result = Finished(trial);
        var settings = result.GetProperty("runtime_settings");
        Assert.Equal("text", result.GetProperty("decodes_to").GetString());
        Assert.Equal("string", settings.GetProperty("values_given_as").GetString());
        Assert.Equal("server", settings.GetProperty("gc").GetString());
        Assert.Equal(64, settings.GetProperty("thread_pool_minimum_workers").GetInt32());
    }

    [Fact]
    public void ByDefaultItIsAsInstalled()
    {
        var result = Finished(Runner.Trial(server.Port));
        var settings = result.GetProperty("runtime_settings");
        Assert.Equal("bytes", result.GetProperty("decodes_to").GetString());
        Assert.Equal("byte[]", settings.GetProperty("values_given_as").GetString());
        Assert.Equal("workstation", settings.GetProperty("gc").GetString());
        Assert.Equal(Environment.ProcessorCount, settings.GetProperty("thread_pool_minimum_workers").GetInt32());
        Assert.True(settings.GetProperty("thread_pool_maximum_workers").GetInt32() > Environment.ProcessorCount);
    }

    [Fact]
    public void HealthBeginsWithTheFirstSliceThatIsKept()
    {
        string[] names = ["gc_collections", "gc_pause_ns", "allocated_bytes", "gc_generation_2_collections_count"];
        var kept = Finished(Runner.Trial(server.Port)).GetProperty("runtime_health");
        Assert.All(names, name => Assert.True(kept.GetProperty(name).GetInt64() >= 0));
        Assert.True(kept.GetProperty("allocated_bytes").GetInt64() > 0);
        var dropped = Finished(Runner.Trial(server.Port), keep: false).GetProperty("runtime_health");
        Assert.All(names, name => Assert.Equal(0, dropped.GetProperty(name).GetInt64()));
    }

    [Fact]
    public void PeakMemoryIsTheProcesssOwnHighWaterMark()
    {
        using var runner = Runner.Ready(Runner.Trial(server.Port));
        var claimed = runner.Finish().GetProperty("peak_memory_bytes").GetInt64();
        var seen = File.ReadLines($"/proc/{runner.Id}/status").Single(line => line.StartsWith("VmHWM:", StringComparison.Ordinal));
        var bytes = long.Parse(seen.Split(' ')[^2], CultureInfo.InvariantCulture) * 1024;
        Assert.InRange(claimed, bytes * 9 / 10, bytes * 11 / 10);
    }

    private static JsonElement Finished(JsonObject trial, bool keep = true)
    {
        using var runner = Runner.Ready(trial);
        runner.Slice(keep: keep);
        var result = runner.Finish();
        runner.CloseInput();
        Assert.Equal(0, runner.End().ExitCode);
        return result;
    }

    private static IEnumerable<int> FirstsOf(JsonElement slice) => slice.GetProperty("segments").EnumerateArray()
        .Select(segment => segment.GetProperty("first_command").GetInt32());

    private static SortedDictionary<string, long> ExpectedCalls(JsonElement slice, string scenario, string? path = null)
    {
        var table = WorkloadFile.Read(path ?? Golden.Workload);
        var calls = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (var segment in slice.GetProperty("segments").EnumerateArray())
        {
            for (long done = 0; done < segment.GetProperty("operations").GetInt64(); done++)
            {
                var index = (int)((segment.GetProperty("first_command").GetInt32() + done) % table.Length);
                var name = table.Kind(index).Name.ToUpperInvariant();
                calls[name] = calls.GetValueOrDefault(name) + 1;
            }
        }

        if (scenario == "transaction")
        {
            calls["MULTI"] = calls["EXEC"] = Parts.Sum(part =>
                slice.GetProperty(part).GetProperty("units").GetInt64());
        }

        return Workload(calls);
    }

    /// <summary>Without PING, which the library sends of its own accord as well.</summary>
    private static SortedDictionary<string, long> Workload(IEnumerable<KeyValuePair<string, long>> calls) => new(
        calls.Where(call => !Ours.Contains(call.Key.Split('|')[0], StringComparer.OrdinalIgnoreCase))
            .ToDictionary(call => call.Key.ToUpperInvariant(), call => call.Value, StringComparer.Ordinal),
        StringComparer.Ordinal);
}
