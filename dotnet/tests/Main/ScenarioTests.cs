using System.Text.Json;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Main;

/// <summary>Every scenario against a real server, whose counters must say what the result says.</summary>
public class ScenarioTests(Server server) : IClassFixture<Server>
{
    private static readonly string[] Ours =
    [
        "info", "config", "cluster", "echo", "ping", "select", "client", "hello", "quit", "subscribe", "sentinel",
    ];

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
    public void TheServerCountedWhatTheResultClaims(string scenario, string shape, string covers, int perUnit)
    {
        using var runner = Runner.Ready(Runner.Trial(server.Port, scenario, shape));
        server.Command("CONFIG", "RESETSTAT");
        runner.Go();
        var result = runner.Result();
        var seen = server.Calls();
        runner.CloseInput();
        Assert.Equal((0, 0), (runner.End().ExitCode, runner.End().Errors.Length));

        Assert.Equal(ExpectedCalls(result, scenario), Workload(seen));
        Assert.Equal(covers, result.GetProperty("latency").GetProperty("sample_covers").GetString());
        var units = result.GetProperty("units").GetInt64();
        Assert.Equal(units * perUnit, result.GetProperty("operations").GetInt64());
        Assert.Equal(units, result.GetProperty("latency").GetProperty("histogram").EnumerateArray().Sum(pair => pair[1].GetInt64()));
        Assert.Empty(result.GetProperty("errors").EnumerateObject());
        Assert.True(result.GetProperty("elapsed_ns").GetInt64() >= 200_000_000);
    }

    [Fact]
    public void AProcessBeginsAtItsOwnPart()
    {
        var trial = Runner.Trial(server.Port, "threads", """{"threads":2,"connections":1,"processes":2}""");
        trial["workload"]!["part"] = 1;
        trial["workload"]!["parts"] = 2;
        var firsts = Measured(trial).GetProperty("segments").EnumerateArray()
            .Select(segment => segment.GetProperty("first_command").GetInt32());
        Assert.Equal([120, 180], firsts);
    }

    [Fact]
    public void AnotherDatabaseIsSelected()
    {
        var trial = Runner.Trial(server.Port);
        trial["target"]!["database"] = 3;
        trial["verify_commands"] = 0;
        server.Command("CONFIG", "RESETSTAT");
        Measured(trial);
        Assert.NotEqual("0", server.Command("DBSIZE").ToString());
        Assert.Contains("db3:", server.Command("INFO", "keyspace").ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void OptionsAreDoneAndStated()
    {
        var trial = Runner.Trial(server.Port);
        trial["client"]!["options"] = System.Text.Json.Nodes.JsonNode.Parse(
            """{"replies":"strings","server-gc":true,"thread-pool-minimum":"default"}""");
        var result = Measured(trial);
        var settings = result.GetProperty("runtime_settings");
        Assert.Equal("text", result.GetProperty("decodes_to").GetString());
        Assert.Equal("server", settings.GetProperty("gc").GetString());
        Assert.NotEqual(64, settings.GetProperty("thread_pool_minimum_workers").GetInt32());
    }

    [Fact]
    public void ByDefaultItIsAsInstalledWithAThreadPoolThatDoesNotStarve()
    {
        var result = Measured(Runner.Trial(server.Port));
        var settings = result.GetProperty("runtime_settings");
        Assert.Equal("bytes", result.GetProperty("decodes_to").GetString());
        Assert.Equal("workstation", settings.GetProperty("gc").GetString());
        Assert.Equal(64, settings.GetProperty("thread_pool_minimum_workers").GetInt32());
        string[] health = ["gc_collections", "gc_pause_ns", "allocated_bytes", "gc_generation_2_collections_count"];
        Assert.All(health, name => Assert.True(result.GetProperty("runtime_health").GetProperty(name).GetInt64() >= 0));
        Assert.True(result.GetProperty("cpu_user_ns").GetInt64() + result.GetProperty("cpu_system_ns").GetInt64() > 0);
    }

    private static JsonElement Measured(System.Text.Json.Nodes.JsonObject trial)
    {
        using var runner = Runner.Ready(trial);
        runner.Go();
        var result = runner.Result();
        runner.CloseInput();
        Assert.Equal(0, runner.End().ExitCode);
        return result;
    }

    private static SortedDictionary<string, long> ExpectedCalls(JsonElement result, string scenario)
    {
        var table = WorkloadFile.Read(Golden.Workload);
        var calls = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (var segment in result.GetProperty("segments").EnumerateArray())
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
            calls["MULTI"] = calls["EXEC"] = result.GetProperty("units").GetInt64();
        }

        return Workload(calls);
    }

    /// <summary>Without PING, which the library sends of its own accord as well.</summary>
    private static SortedDictionary<string, long> Workload(IEnumerable<KeyValuePair<string, long>> calls) => new(
        calls.Where(call => !Ours.Contains(call.Key.Split('|')[0], StringComparer.OrdinalIgnoreCase))
            .ToDictionary(call => call.Key.ToUpperInvariant(), call => call.Value, StringComparer.Ordinal),
        StringComparer.Ordinal);
}
