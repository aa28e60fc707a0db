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
    {
        var start = new ProcessStartInfo("dotnet", [typeof(TrialRun).Assembly.Location, .. words])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("RESPMARK_DEBUG");
        _process = Process.Start(start)!;
        _errors = _process.StandardError.ReadToEndAsync();
    }

    /// <summary>A trial against a server on this port, with changes: each replaces a field, dots lead into objects.</summary>
    public static JsonObject Trial(int port, string scenario = "sync", string shape = "{}")
    {
        var trial = JsonNode.Parse(
            """
            {"schema_version": 1, "trial_id": "test", "client": {"library": "stackexchange-redis", "options": {}},
             "warmup_s": 0.05, "measure_s": 0.2, "verify_commands": 20}
            """)!.AsObject();
        trial["scenario"] = scenario;
        trial["shape"] = JsonNode.Parse(shape);
        trial["workload"] = new JsonObject { ["path"] = Golden.Workload };
        trial["target"] = new JsonObject { ["host"] = "127.0.0.1", ["port"] = port };
        return trial;
    }

    /// <summary>Starts a trial and returns when it is ready.</summary>
    public static Runner Ready(JsonObject trial)
    {
        var runner = new Runner("run");
        runner.Say(trial.ToJsonString());
        Assert.Equal("ready", runner.Event().GetProperty("event").GetString());
        return runner;
    }

    public void Go() => Say("""{"event":"go"}""");

    public void Say(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    public void CloseInput() => _process.StandardInput.Close();

    /// <summary>The next event.</summary>
    public JsonElement Event()
    {
        var reading = _process.StandardOutput.ReadLineAsync();
        Assert.True(reading.Wait(Patience), "the runner says nothing");
        Assert.True(reading.Result is not null, _errors.IsCompleted ? _errors.Result : "the runner ended");
        using var document = JsonDocument.Parse(reading.Result!);
        return document.RootElement.Clone();
    }

    /// <summary>The result, progress passed over.</summary>
    public JsonElement Result()
    {
        for (; ; )
        {
            var said = Event();
            if (said.GetProperty("event").GetString() == "result")
            {
                return said;
            }
        }
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
