using System.Diagnostics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Respmark.Main;

namespace Respmark.Tests.Support;

/// <summary>The runner as a process, spoken to as the harness does.</summary>
internal sealed class Runner : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private readonly Process _process;
    private readonly Task<string> _errors;

    public Runner(params string[] words)
        : this(typeof(Run).Assembly.Location, words)
    {
    }

    private Runner(string program, string[] words, bool hasServerGc = false)
    {
        var start = new ProcessStartInfo("dotnet", [program, .. words])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("RESPMARK_DEBUG");
        start.Environment["DOTNET_gcServer"] = hasServerGc ? "1" : "0";
        _process = Process.Start(start)!;
        _errors = _process.StandardError.ReadToEndAsync();
    }

    /// <summary>A trial against a server on this port.</summary>
    public static JsonObject Trial(int port, string scenario = "sync", string shape = "{}")
    {
        var trial = JsonNode.Parse(
            """
            {"schema_version": 2, "trial_id": "test", "client": {"library": "stackexchange-redis", "options": {}},
             "verify_commands": 20}
            """)!.AsObject();
        trial["scenario"] = scenario;
        trial["shape"] = JsonNode.Parse(shape);
        trial["workload"] = new JsonObject { ["path"] = Golden.Workload };
        trial["target"] = new JsonObject { ["host"] = "127.0.0.1", ["port"] = port };
        return trial;
    }

    /// <summary>The bare loops, as set-up built them.</summary>
    public static Runner BareLoop(params string[] words) => new(
        Path.Combine(Golden.Root, ".build/dotnet/default/bin/Respmark.Bare/release/stackexchange-redis.dll"), words);

    public int Id => _process.Id;

    /// <summary>Starts a trial and returns when it is loaded.</summary>
    public static Runner Loaded(JsonObject trial)
    {
        var hasServerGc = trial["client"]!["options"]!["server-gc"]?.GetValue<bool>() ?? false;
        var runner = new Runner(typeof(Run).Assembly.Location, ["run"], hasServerGc);
        runner.Say(trial.ToJsonString());
        runner.Event("loaded");
        return runner;
    }

    /// <summary>Starts a trial and returns when it is ready.</summary>
    public static Runner Ready(JsonObject trial)
    {
        var runner = Loaded(trial);
        runner.Connect();
        return runner;
    }

    public JsonElement Connect()
    {
        Say("""{"order":"connect"}""");
        return Event("ready");
    }

    /// <summary>The answer to one slice.</summary>
    public JsonElement Slice(int number = 1, int milliseconds = 100, int leadIn = 50, int firstCommand = 0, bool keep = true)
    {
        Order(number, milliseconds, leadIn, firstCommand, keep);
        return Event("slice");
    }

    /// <summary>Orders a slice whose answer may never come.</summary>
    public void Order(int number = 1, int milliseconds = 100, int leadIn = 50, int firstCommand = 0, bool keep = true) => Say(
        new JsonObject
        {
            ["order"] = "slice",
            ["slice"] = number,
            ["duration_ns"] = milliseconds * 1_000_000L,
            ["lead_in_ns"] = leadIn * 1_000_000L,
            ["first_command"] = firstCommand,
            ["keep_samples"] = keep,
        }.ToJsonString());

    public JsonElement Finish()
    {
        Say("""{"order":"finish"}""");
        return Event("result");
    }

    public void Say(string line)
    {
        try
        {
            _process.StandardInput.WriteLine(line);
            _process.StandardInput.Flush();
        }
        catch (IOException)
        {
            // It has ended; tests look at how.
        }
    }

    public void CloseInput() => _process.StandardInput.Close();

    /// <summary>The next event.</summary>
    public JsonElement Event()
    {
        using var document = JsonDocument.Parse(Line());
        return document.RootElement.Clone();
    }

    /// <summary>The next line.</summary>
    public string Line()
    {
        var reading = _process.StandardOutput.ReadLineAsync();
        Assert.True(reading.Wait(Patience), "the runner says nothing");
        Assert.True(reading.Result is not null, _errors.IsCompleted ? _errors.Result : "the runner ended");
        return reading.Result!;
    }

    /// <summary>The next event, which has this name.</summary>
    public JsonElement Event(string name)
    {
        var said = Event();
        Assert.Equal(name, said.GetProperty("event").GetString());
        return said;
    }

    /// <summary>Waits for its end; what it said on standard error.</summary>
    public (int ExitCode, string[] Errors) End()
    {
        Assert.True(_process.WaitForExit(Patience), "the runner does not end");
        Assert.True(_errors.Wait(Patience));
        return (_process.ExitCode, _errors.Result.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        _process.Dispose();
    }
}
