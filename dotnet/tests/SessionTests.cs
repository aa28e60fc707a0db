using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Nodes;
using Respmark.Tests.Support;

namespace Respmark.Tests;

/// <summary>Whole trials of a library that needs no server.</summary>
public class SessionTests
{
    private const long Short = 3_000_000;

    private static readonly JsonElement s_there = JsonDocument.Parse("{}").RootElement;
    private static readonly string s_text = new('x', 600);

    [Fact]
    public async Task WalkersThatBlockKeepThreadsOfTheirOwnAndShareConnectionsInTurn()
    {
        var trial = Trials.Of("threads", new Shape(Threads: 3, Connections: 2));
        var fake = new Fake(trial);
        var session = await ConnectedAsync(trial, fake);
        await WorkAsync(session);
        await WorkAsync(session);
        Assert.Equal([2, 1], fake.Opened.Select(client => client.Threads.Count));
        Assert.Empty(fake.Opened[0].Threads.Intersect(fake.Opened[1].Threads));
        await Task.Run(session.Close);
        Assert.Equal([true, true], fake.Opened.Select(client => client.IsClosed));
    }

    [Theory]
    [InlineData("batching")]
    [InlineData("transaction")]
    public async Task BatchesAreMadeAnewAndFlushed(string scenario)
    {
        var trial = Trials.Of(scenario, new Shape(Depth: 10));
        var fake = new Fake(trial);
        await WorkAsync(await ConnectedAsync(trial, fake));
        Assert.Equal(fake.Targets.Count, fake.Targets.Distinct().Count());
        Assert.All(fake.Targets, target => Assert.True(target.IsFlushed && target.Taken.Count == 10));
    }

    [Fact]
    public async Task InASlidingWindowWhicheverCommandCompletesSendsTheNext()
    {
        var trial = Trials.Of("pipelining", new Shape(Depth: 3, Window: "sliding"));
        var replies = new ConcurrentDictionary<string, TaskCompletionSource<long>>();
        var fake = new Fake(trial) { Reply = key => (replies[key] = new TaskCompletionSource<long>()).Task };
        var session = await ConnectedAsync(trial, fake);
        var working = session.AnswerAsync(new Order(Work: new Work([0], 0, long.MaxValue / 2, Keep: true)));
        Assert.Equal(["k00", "k01", "k02"], replies.Keys.Order());
        foreach (var (answered, sent) in new[] { ("k01", "k03"), ("k03", "k04"), ("k02", "k05") })
        {
            replies[answered].SetResult(1);
            Assert.True(SpinWait.SpinUntil(() => replies.ContainsKey(sent), TimeSpan.FromSeconds(20)));
        }

        Assert.Equal(6, replies.Count);
        Assert.False(working.IsCompleted);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task UnitsGoOnThroughErrorsAndWhoeverHangsIsLeftAlone(bool isBlocking)
    {
        var trial = Trials.Of("threads", new Shape(Threads: 2));
        var fake = new Fake(trial, isBlocking)
        {
            Reply = key => key switch
            {
                "k02" or "k53" => new TaskCompletionSource<long>().Task,
                "k51" => throw new TimeoutException(s_text),
                _ => Task.FromResult(7L),
            },
        };
        var session = await ConnectedAsync(trial, fake);
        var order = Trials.GoOn([0, 50], until: Clock.Now + (1000 * Short), 0, 1, 2, 3, 4, 5, 6, 7);
        Assert.NotNull((await session.AnswerAsync(new Order(KeepGoing: order))).Went);
        session.Close();
        var log = Trials.LogOf(order);
        Assert.Equal(Enumerable.Range(0, 7), Trials.Units(log, "began").Order());
        var ended = log.Where(line => line.ContainsKey("ended")).ToLookup(line => (int)line["walker"]!);
        Assert.Equal([7, 7], ended[0].Select(line => (int)line["reply"]!));
        Assert.Equal(["7", $"TimeoutException {s_text[..500]}", "7"], ended[1].Select(Outcome));
        Assert.True((long)log[^1]["closed"]! > (long)ended[1].Last()["ended"]!);

        static string Outcome(JsonObject line) =>
            line.ContainsKey("error") ? $"{line["error"]} {line["text"]}" : $"{line["reply"]}";
    }

    [Fact]
    public void ACommandThatTheLibraryDoesNotHaveIsUnsupported()
    {
        const string header =
            """{"commands":1, "key_bytes":1, "values":[], "kinds":[{"name":"X", "arguments":[]}], "steps":[[0]]}""";
        var trial = Trials.Of("sync") with { Workload = Trials.File(header, [0], string.Empty, string.Empty) };
        var error = Assert.Throws<UnsupportedException>(() => new Session(trial, new Fake(trial)));
        Assert.Equal("fake has no method for X: leave the command out", error.Message);
    }

    internal static async Task<Session> ConnectedAsync(Trial trial, Adapter adapter)
    {
        var session = new Session(trial, adapter);
        Assert.NotNull((await session.AnswerAsync(new Order(Connect: s_there))).Connected);
        return session;
    }

    private static async Task WorkAsync(Session session) =>
        Assert.NotNull((await session.AnswerAsync(new Order(Work: new Work(new int[3], Short, Short, Keep: true)))).Worked);
}
