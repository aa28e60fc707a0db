namespace Respmark.Tests.Support;

/// <summary>A library of our own, whose connections and replies a test sees and decides on.</summary>
internal sealed class Fake(Trial trial, bool isBlocking = true) : Adapter<FakeClient, FakeTarget>(trial)
{
    private readonly Lock _making = new();

    /// <summary>What a command does: raises, waits, or replies.</summary>
    public Func<string, Task<long>> Reply { get; init; } = _ => Task.FromResult(1L);

    public List<FakeClient> Opened { get; } = [];
    public List<FakeTarget> Targets { get; } = [];

    protected override string Version => "1.0";

    protected override bool IsBlocking => isBlocking;

    protected override Task<FakeClient> OpenAsync()
    {
        Opened.Add(new FakeClient());
        return Task.FromResult(Opened[^1]);
    }

    protected override Task CloseAsync(FakeClient client)
    {
        client.IsClosed = true;
        return Task.CompletedTask;
    }

    protected override Step? Bind(string name, Arguments with) => name == "X" ? null : Of(
        (client, key) => client.Take(name, key, Reply).GetAwaiter().GetResult(),
        (target, key) => target.Take(name, key, Reply),
        new Decoding<long>(null, reply => (long)reply!));

    protected override (FakeTarget Target, Func<Task> Flush) TargetOf(FakeClient client)
    {
        var target = Trial.Scenario == "pipelining" ? client : new FakeTarget();
        lock (_making)
        {
            Targets.Add(target);
        }

        return (target, () => Task.FromResult(target.IsFlushed = true));
    }
}

internal class FakeTarget
{
    private readonly Lock _taking = new();

    public List<string> Taken { get; } = [];

    public HashSet<int> Threads { get; } = [];

    public bool IsFlushed { get; set; }

    public Task<long> Take(string name, string key, Func<string, Task<long>> reply)
    {
        lock (_taking)
        {
            Taken.Add($"{name} {key}");
            Threads.Add(Environment.CurrentManagedThreadId);
        }

        return reply(key);
    }
}

internal sealed class FakeClient : FakeTarget
{
    public bool IsClosed { get; set; }
}
