using System.Diagnostics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Respmark.Tests.Support;

[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Respmark.Tests;

/// <summary>The runner as a process, spoken to as the harness does.</summary>
public class ProgramTests
{
    [Fact]
    public void WhatThisMachineCannotDoIsUnsupported()
    {
        var (lines, errors, code) = Run([], Line("Null", """{"server-gc": true, "thread-pool-minimum": 64}"""));
        Assert.Equal((string.Empty, 0), (errors, code));
        Assert.EndsWith("DOTNET_gcServer asks for", (string)lines.Single()["unsupported"]!, StringComparison.Ordinal);
    }

    [Fact]
    public void AColdStartHasItsStagesAndItsReply()
    {
        var (lines, errors, code) = Run(["--cold-start"], Line("Null"));
        Assert.Equal((string.Empty, 0), (errors, code));
        var started = lines.Single()["started"]!.AsObject();
        string[] fields = ["main_ns", "load_ns", "create_ns", "first_ns", "reply", "versions"];
        Assert.Equal(fields, started.Select(field => field.Key));
        Assert.Equal("0", (string)started["versions"]!["fake"]!);
    }

    private static string Line(string adapter, string options = "{}")
    {
        var trial = Trials.Of("sync") with
        {
            Adapter = adapter,
            Options = JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(options)!,
        };
        return JsonSerializer.Serialize(trial, Lines.Default.Trial);
    }

    private static (JsonObject[] Lines, string Errors, int Code) Run(string[] arguments, params string[] lines)
    {
        var start = new ProcessStartInfo("dotnet", [typeof(Session).Assembly.Location, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("DOTNET_gcServer");
        using var process = Process.Start(start)!;
        Array.ForEach(lines, process.StandardInput.WriteLine);
        process.StandardInput.Close();
        var answers = process.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return (Array.ConvertAll(answers, answer => JsonNode.Parse(answer)!.AsObject()), errors, process.ExitCode);
    }
}
