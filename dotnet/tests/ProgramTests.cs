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
    public void EveryLineIsAnsweredByOne()
    {
        var (lines, errors, code) = Run(
            Line("Null"),
            """{"connect": {}}""",
            """{"echo": {"first": 0, "commands": 2, "bytes": 1000}}""",
            """{"work": {"first": [11], "lead_in_ns": 1000000, "ns": 2000000, "keep": true}}""",
            """{"samples": {}}""",
            """{"bare": {"first": 0, "ns": 1000000}}""");
        Assert.Equal((string.Empty, 0), (errors, code));
        string[] answers = ["loaded", "connected", "replies", "worked", "samples", "bared"];
        Assert.Equal(answers, lines.Select(line => line.Single().Key));
        Assert.Equal(4, (int)lines[0]["loaded"]!["contract"]!);
        Assert.Equal(["fake", ".NET"], lines[0]["loaded"]!["versions"]!.AsObject().Select(version => version.Key));
        Assert.Equal(["first_error", "cache"], lines[3]["worked"]!.AsObject().Select(field => field.Key).TakeLast(2));
        Assert.Equal((int)lines[3]["worked"]!["measured"]![0]!, (int)lines[4]["samples"]!["counts"]![0]!);
    }

    [Fact]
    public void AnotherTrialMayFollow()
    {
        string[] work =
        [
            """{"connect": {}}""",
            """{"work": {"first": [0], "lead_in_ns": 0, "ns": 2000000, "keep": true}}""",
            """{"samples": {}}""",
        ];
        var (lines, errors, code) = Run(
            [Line("Null"), .. work, Line("Null", """{"server-gc": true}"""), Line("Null"), .. work]);
        Assert.Equal((string.Empty, 0), (errors, code));
        string[] trial = ["loaded", "connected", "worked", "samples"];
        Assert.Equal([.. trial, "unsupported", .. trial], lines.Select(line => line.Single().Key));
        Assert.Equal((int)lines[7]["worked"]!["measured"]![0]!, (int)lines[8]["samples"]!["counts"]![0]!);
    }

    [Fact]
    public void WhatEndsTheRunnerIsSaidInOneLine()
    {
        var (lines, errors, code) = Run(Line("StackExchangeRedis"), """{"connect": {}}""");
        Assert.Equal((1, 1), (lines.Length, code));
        Assert.Matches(@"^\d+\.\d+\.\d+$", (string)lines[0]["loaded"]!["versions"]!["fake"]!);
        Assert.Matches(@"^RedisConnectionException: .+\n$", errors);
    }

    [Fact]
    public void WhatThisMachineCannotDoIsUnsupported()
    {
        var (lines, errors, code) = Run(Line("Null", """{"server-gc": true, "thread-pool-minimum": 64}"""));
        Assert.Equal((string.Empty, 0), (errors, code));
        Assert.EndsWith("DOTNET_gcServer asks for", (string)lines.Single()["unsupported"]!, StringComparison.Ordinal);
    }

    [Fact]
    public void AColdStartHasItsStagesAndItsReply()
    {
        var (lines, errors, code) = RunWith(["--cold-start"], Line("Null"));
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

    private static (JsonObject[] Lines, string Errors, int Code) Run(params string[] lines) =>
        RunWith([], lines);

    private static (JsonObject[] Lines, string Errors, int Code) RunWith(string[] arguments, params string[] lines)
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
