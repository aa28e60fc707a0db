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

    public static TheoryData<string, string?, int, int, bool> Scenarios => new()
    {
        { "sync", null, 1, 1, true },
        { "sync", null, 1, 1, false },
        { "threads", null, 1, 3, true },
        { "threads", null, 1, 3, false },
        { "pipelining", "burst", 10, 2, true },
        { "pipelining", "sliding", 10, 2, true },
        { "batching", null, 10, 1, true },
        { "transaction", null, 10, 1, true },
        { "new-connection", null, 1, 1, true },
        { "new-connection", null, 1, 1, false },
    };

    [Theory]
    [MemberData(nameof(Scenarios))]
    public async Task ASliceCountsWhatItDid(string scenario, string? window, int depth, int threads, bool isBlocking)
    {
        var trial = Trials.Of(scenario, new Shape(depth, window, threads));
        var fake = new Fake(trial, isBlocking) { Reply = Later };
        var (session, perUnit) = (await ConnectedAsync(trial, fake), window == "sliding" ? 1 : depth);
        for (var slice = 0; slice < 3; slice++)
        {
            var before = Taken(fake).Count;
            var worked = await WorkAsync(session, slice);
            Assert.Equal([threads, threads], [worked.LeadIn.Length, worked.Measured.Length]);
            Assert.All([.. worked.LeadIn, .. worked.Measured], units => Assert.True(units > 0));
            Assert.Equal(Taken(fake).Count - before, (worked.LeadIn.Sum() + worked.Measured.Sum()) * perUnit);
            Assert.InRange(worked.MeasuredFrom[0], worked.Started[0] + Short, worked.Ended[0] - Short);
            Assert.Empty(worked.Errors);
            var samples = (await session.AnswerAsync(new Order(Samples: s_there))).Samples!;
            Assert.Equal([worked.Measured.Sum()], samples.Counts);
            Assert.Equal(worked.Measured.Sum() * sizeof(double), samples.Latencies.Length);
        }
    }

    [Fact]
    public async Task TheMeasuredPartGoesOnWhereTheLeadInStopped()
    {
        var trial = Trials.Of("sync");
        var fake = new Fake(trial);
        await WorkAsync(await ConnectedAsync(trial, fake), first: 95);
        Assert.Equal(
            Enumerable.Range(95, Taken(fake).Count).Select(Trials.Text), Taken(fake));
    }

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

    [Fact]
    public async Task EachOfSeveralBatchesHasAConnectionOfItsOwn()
    {
        var trial = Trials.Of("batching", new Shape(Depth: 10, Connections: 3));
        var fake = new Fake(trial);
        var worked = await WorkAsync(await ConnectedAsync(trial, fake));
        Assert.Equal((3, 3), (worked.Measured.Length, fake.Opened.Count));
        Assert.All(worked.Measured, units => Assert.True(units > 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task NothingOfATrialIsLeftWhenItIsClosed(bool isOpen)
    {
        var trial = Trials.Of("threads", new Shape(Threads: 3, Connections: 2)) with { Open = isOpen };
        var (fake, before) = (new Fake(trial, isBlocking: !isOpen), OwnThread.Count);
        var session = await ConnectedAsync(trial, fake);
        await WorkAsync(session);
        Assert.Equal(before + 3, OwnThread.Count);
        await Task.Run(session.Close);
        Assert.Equal(before, OwnThread.Count);
        Assert.All(fake.Opened, client => Assert.True(client.IsClosed));
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
    [MemberData(nameof(Scenarios))]
    public async Task AFailedUnitIsAnErrorByItsClassAndTheLoopGoesOn(
        string scenario, string? window, int depth, int threads, bool isBlocking)
    {
        var trial = Trials.Of(scenario, new Shape(depth, window, threads));
        var fake = new Fake(trial, isBlocking)
        {
            Reply = async key => await Later(key) > 0 && key[^1] is '3' ? throw new TimeoutException(s_text) : 1,
        };
        var worked = await WorkAsync(await ConnectedAsync(trial, fake), first: 3, ns: 30_000_000);
        var failures = Assert.Single(worked.Errors);
        Assert.Equal("TimeoutException", failures.Key);
        Assert.Equal(s_text[..500], worked.FirstError);
        var perUnit = window == "sliding" ? 1 : depth;
        Assert.Equal(Taken(fake).Count, (worked.LeadIn.Sum() + worked.Measured.Sum() + failures.Value) * perUnit);
    }

    [Fact]
    public async Task EveryNewConnectionIsClosedAlsoAfterAFailure()
    {
        var trial = Trials.Of("new-connection");
        var fake = new Fake(trial) { Reply = async key => key[^1] == '3' ? throw new TimeoutException() : 1 };
        await WorkAsync(await ConnectedAsync(trial, fake));
        Assert.All(fake.Opened, client => Assert.True(client.IsClosed && client.Taken.Count == 1));
    }

    [Theory]
    [MemberData(nameof(Scenarios))]
    public async Task EchoShowsTheRepliesOfWholeUnits(
        string scenario, string? window, int depth, int threads, bool isBlocking)
    {
        var isOne = depth == 1 || window == "sliding";
        var trial = Trials.Of(scenario, new Shape(depth, window, threads));
        var fake = new Fake(trial, isBlocking) { Reply = async key => await Later(key) + key[^1] - '1' };
        var session = await ConnectedAsync(trial, fake);
        var replies = (await session.AnswerAsync(new Order(Echo: new Echo(0, 25, 1_000)))).Replies!;
        Assert.Equal(isOne ? 25 : 30, replies.Count);
        Assert.All(replies, (reply, index) => Assert.Equal(index % 10L, (long)reply!));
        Assert.Equal(isOne ? 5 : 10, (await session.AnswerAsync(new Order(Echo: new Echo(0, 25, 5)))).Replies!.Count);
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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task NothingStartsOnceThereIsEnough(bool isBlocking)
    {
        const long hour = 3_600_000_000_000;
        var trial = Trials.Of("threads", new Shape(Threads: 2));
        var session = await ConnectedAsync(trial, new Fake(trial, isBlocking));
        var order = Trials.GoOn([0, 50], until: Clock.Now + hour, 0, hour, hour);
        var going = Task.Run(() => session.AnswerAsync(new Order(KeepGoing: order)));
        Assert.True(SpinWait.SpinUntil(() => Trials.LogOf(order).Length == 2, TimeSpan.FromSeconds(20)));
        await File.WriteAllTextAsync(order.Enough, string.Empty);
        Assert.NotNull((await going).Went);
        Assert.Equal([0], Trials.Units(Trials.LogOf(order), "began"));
    }

    [Fact]
    public async Task TheBareLoopCountsItsUnits()
    {
        var trial = Trials.Of("batching", new Shape(Depth: 10));
        var fake = new Fake(trial);
        var bared = (await (await ConnectedAsync(trial, fake)).AnswerAsync(new Order(Bare: new Bare(5, Short)))).Bared!;
        Assert.Equal(fake.Targets.Count, bared.Units);
        Assert.Equal("GET k05", fake.Targets[0].Taken[0]);
        Assert.True(bared.Ended[0] - bared.Started[0] >= Short);
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

    /// <summary>A reply that arrives on another thread.</summary>
    internal static async Task<long> Later(string key)
    {
        await Task.Yield();
        return key.Length > 0 ? 1 : 0;
    }

    internal static List<string> Taken(Fake fake) =>
        [.. fake.Opened.Concat(fake.Targets).Distinct().SelectMany(target => target.Taken)];

    internal static async Task<Session> ConnectedAsync(Trial trial, Adapter adapter)
    {
        var session = new Session(trial, adapter);
        Assert.NotNull((await session.AnswerAsync(new Order(Connect: s_there))).Connected);
        return session;
    }

    /// <summary>Lets every walker work from the same command on.</summary>
    private static async Task<Worked> WorkAsync(Session session, int first = 0, long ns = Short)
    {
        int[] all = [.. Enumerable.Repeat(first, 3)];
        return (await session.AnswerAsync(new Order(Work: new Work(all, ns, ns, Keep: true)))).Worked!;
    }
}
