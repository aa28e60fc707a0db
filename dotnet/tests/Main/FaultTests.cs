using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json.Nodes;
using Respmark.Tests.Support;

namespace Respmark.Tests.Main;

/// <summary>What goes wrong ends with the right exit code and one clear line on standard error.</summary>
public class FaultTests(Server server) : IClassFixture<Server>
{
    private const string Connect = """{"order":"connect"}""";
    private const string Slice =
        """{"order":"slice","slice":1,"duration_ns":1000000,"lead_in_ns":0,"first_command":0,"keep_samples":true}""";

    private const string Finish = """{"order":"finish"}""";

    public static TheoryData<string> Invalid => [.. Golden.Files("trials", "invalid")];

    public static TheoryData<string> InvalidOrders => [.. Golden.Files("orders", "invalid")];

    [Theory]
    [MemberData(nameof(Invalid))]
    public void AnInvalidGoldenTrialExitsWith2(string path) => AssertEnds(File.ReadAllText(path), 2, "trial");

    [Fact]
    public void WhatIsNoJsonExitsWith2() => AssertEnds("sync, please", 2, "not JSON");

    [Fact]
    public void AnotherLibraryExitsWith2() =>
        AssertEnds(With("client.library", "jedis"), 2, "trial.client.library must be one of stackexchange-redis");

    [Fact]
    public void AnUnknownOptionExitsWith2() =>
        AssertEnds(With("client.options", new JsonObject { ["fast"] = true }), 2, "trial.client.options.fast is unknown; known are");

    [Fact]
    public void AnUnknownValueOfAnOptionExitsWith2() =>
        AssertEnds(With("client.options", new JsonObject { ["decode"] = "numbers" }), 2, "must be one of bytes, text");

    [Fact]
    public void AMissingWorkloadExitsWith2() => AssertEnds(With("workload.path", "/none"), 2, "/none");

    [Fact]
    public void AMissingAuthorityExitsWith2() =>
        AssertEnds(With("target.tls", new JsonObject { ["ca_file"] = "/none.pem" }), 2, "trial.target.tls.ca_file");

    [Theory]
    [MemberData(nameof(InvalidOrders))]
    public void AnInvalidGoldenOrderExitsWith2(string path)
    {
        using var runner = Runner.Ready(Runner.Trial(server.Port));
        runner.Say(File.ReadAllText(path).ReplaceLineEndings(" "));
        AssertEnded(runner, 2, "; due: slice or finish");
    }

    [Fact]
    public void AnOrderThatIsNoJsonExitsWith2()
    {
        using var runner = Runner.Loaded(Runner.Trial(server.Port));
        runner.Say("go");
        AssertEnded(runner, 2, "it is not JSON: an order is one JSON object on one line; due: connect");
    }

    [Theory]
    [InlineData(new[] { Slice }, "the order slice is not due; due: connect")]
    [InlineData(new[] { Finish }, "the order finish is not due; due: connect")]
    [InlineData(new[] { Connect, Connect }, "the order connect is not due; due: slice or finish")]
    [InlineData(new[] { Connect, Slice, Connect }, "the order connect is not due; due: slice or finish")]
    [InlineData(new[] { Connect, Finish, Slice }, "the order slice is not due; due: the end of standard input")]
    [InlineData(new[] { Connect, Finish, Finish }, "the order finish is not due; due: the end of standard input")]
    public void AnOrderThatIsNotDueExitsWith2(string[] orders, string sentence)
    {
        using var runner = Runner.Loaded(Runner.Trial(server.Port));
        Array.ForEach(orders, runner.Say);
        AssertEnded(runner, 2, sentence);
    }

    [Theory]
    [InlineData(new string[] { }, "due: connect")]
    [InlineData(new[] { Connect }, "due: slice or finish")]
    [InlineData(new[] { Connect, Slice }, "due: slice or finish")]
    public void InputThatEndsBeforeTheResultExitsWith1(string[] orders, string due)
    {
        using var runner = Runner.Loaded(Runner.Trial(server.Port));
        Array.ForEach(orders, runner.Say);
        runner.CloseInput();
        AssertEnded(runner, 1, $"standard input ended before the result; {due}");
    }

    [Fact]
    public void NothingAtAllExitsWith2()
    {
        using var runner = new Runner("run");
        runner.CloseInput();
        AssertEnded(runner, 2, "standard input is empty");
    }

    [Theory]
    [InlineData("pool", """{"threads":2,"max_total":2}""", "has no pool")]
    [InlineData("transaction", """{"depth":2,"form":"queued"}""", "use the form batched")]
    public void WhatTheLibraryCannotExpressExitsWith3(string scenario, string shape, string sentence) =>
        AssertEnds(Runner.Trial(server.Port, scenario, shape).ToJsonString(), 3, sentence);

    [Fact]
    public void AnotherCollectorThanTheProcessHasExitsWith3() =>
        AssertEnds(With("client.options", new JsonObject { ["server-gc"] = true }), 3, "set DOTNET_gcServer before it starts");

    [Fact]
    public void AnotherVersionExitsWith3() => AssertEnds(With("client.version", "0.1.0"), 3, "not 0.1.0");

    [Fact]
    public void AReplicaExitsWith4()
    {
        using var replica = new Server();
        replica.Command("REPLICAOF", "127.0.0.1", "1");
        AssertEnds(Runner.Trial(replica.Port).ToJsonString(), 4, "is a read-only replica");
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("threads", """{"threads":2,"connections":1}""")]
    [InlineData("new-connection", "{}")]
    public void WhereNothingListensExitsWith4AtConnect(string scenario, string shape) =>
        AssertEnds(Runner.Trial(Server.FreePort(), scenario, shape).ToJsonString(), 4, "refuses connections");

    [Fact]
    public void AnUnknownHostExitsWith4() =>
        AssertEnds(With("target.host", "no.such.host.invalid"), 4, "no.such.host.invalid");

    [Fact]
    public void AWrongPasswordExitsWith4AndIsNotPrinted()
    {
        using var secured = new Server();
        secured.Command("CONFIG", "SET", "requirepass", "right");
        var trial = Runner.Trial(secured.Port);
        trial["target"]!["password"] = "a-hidden-word";
        var errors = AssertEnds(trial.ToJsonString(), 4, "refused the user or the password");
        Assert.DoesNotContain("hidden", errors, StringComparison.Ordinal);
    }

    [Fact]
    public void AServerOfSomethingElseExitsWith4()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var ending = new CancellationTokenSource();
        var answering = AnswerAsync(listener, "HTTP/1.1 400 no\r\n\r\n", ending.Token);
        AssertEnds(
            Runner.Trial(((IPEndPoint)listener.LocalEndpoint).Port).ToJsonString(), 4, "does not speak the protocol");
        ending.Cancel();
        Assert.True(answering.Wait(TimeSpan.FromSeconds(10)));
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("pipelining", """{"depth":10,"window":"burst"}""")]
    [InlineData("batching", """{"depth":10}""")]
    [InlineData("transaction", """{"depth":10,"form":"batched"}""")]
    public void AWrongValueIsFoundInVerification(string scenario, string shape)
    {
        using var wrong = new Server();
        wrong.Command("SET", "key:0000018", new string('x', 64));
        AssertEnds(
            Runner.Trial(wrong.Port, scenario, shape).ToJsonString(),
            1,
            "the reply to command 4 of the workload, GET key:0000018 is not the value of its key");
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("pipelining", """{"depth":10,"window":"sliding"}""")]
    [InlineData("batching", """{"depth":10}""")]
    [InlineData("threads", """{"threads":3,"connections":1}""")]
    [InlineData("new-connection", "{}")]
    public void AServerThatDiesInASliceExitsWith4(string scenario, string shape)
    {
        using var dying = new Server();
        using var runner = Runner.Ready(Runner.Trial(dying.Port, scenario, shape));
        runner.Slice();
        runner.Order(2, milliseconds: 60_000);
        dying.AwaitWork();
        dying.Kill();
        AssertEnded(runner, 4, "was lost");
    }

    [Theory]
    [InlineData("sync", "{}")]
    [InlineData("batching", """{"depth":10}""")]
    public void AServerThatFreezesInASliceExitsWith4(string scenario, string shape)
    {
        using var frozen = new Server();
        using var runner = Runner.Ready(Runner.Trial(frozen.Port, scenario, shape));
        runner.Slice();
        runner.Order(2, milliseconds: 60_000);
        frozen.AwaitWork();
        frozen.Freeze();
        AssertEnded(runner, 4, "was lost");
    }

    [Fact]
    public void AConnectionThatBreaksIsAnErrorOfItsSliceAndNoEnd()
    {
        using var runner = Runner.Ready(Runner.Trial(server.Port, "batching", """{"depth":10}"""));
        runner.Slice(1);
        runner.Order(2, milliseconds: 2_000);
        server.AwaitWork();
        server.Command("CLIENT", "KILL", "TYPE", "normal");
        var broken = runner.Event("slice");
        Assert.NotEmpty(broken.GetProperty("errors").EnumerateObject());
        Assert.NotNull(broken.GetProperty("first_error").GetString());
        Assert.Empty(runner.Slice(3).GetProperty("errors").EnumerateObject());
    }

    [Fact]
    public void AnUnknownCommandExitsWith2()
    {
        using var runner = new Runner("walk");
        AssertEnded(runner, 2, "usage:");
    }

    [Fact]
    public void DescribeSaysWhatIsLoaded()
    {
        using var runner = new Runner("describe");
        var description = runner.Event();
        Assert.Equal("dotnet", description.GetProperty("runner").GetString());
        var client = description.GetProperty("clients")[0];
        Assert.Equal("stackexchange-redis", client.GetProperty("library").GetString());
        Assert.StartsWith(
            typeof(StackExchange.Redis.ConnectionMultiplexer).Assembly.GetName().Version!.ToString(2),
            client.GetProperty("version").GetString(),
            StringComparison.Ordinal);
        Assert.Equal(0, runner.End().ExitCode);
    }

    private static async Task AnswerAsync(TcpListener listener, string answer, CancellationToken ending)
    {
        while (!ending.IsCancellationRequested)
        {
            try
            {
                using var client = await listener.AcceptTcpClientAsync(ending);
                await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(answer), ending);
            }
            catch (Exception error) when (error is OperationCanceledException or IOException)
            {
                // The test is over, or the client went away before it was answered.
            }
        }
    }

    private string With(string path, JsonNode value)
    {
        var trial = Runner.Trial(server.Port);
        var words = path.Split('.');
        trial[words[0]]![words[1]] = value;
        return trial.ToJsonString();
    }

    private static string AssertEnds(string trial, int exitCode, string sentence)
    {
        using var runner = new Runner("run");
        runner.Say(trial.ReplaceLineEndings(" "));
        runner.Say(Connect);
        return AssertEnded(runner, exitCode, sentence);
    }

    private static string AssertEnded(Runner runner, int exitCode, string sentence)
    {
        var (code, errors) = runner.End();
        var said = Assert.Single(errors);
        Assert.Contains(sentence, said, StringComparison.Ordinal);
        Assert.Equal(exitCode, code);
        return said;
    }
}
