namespace Respmark.Clients;

/// <summary>No client at all: what the runner's loops cost every client. It takes the paths that a library takes.</summary>
internal sealed class Null(Trial trial) : Adapter<Nothing, Nothing>(trial)
{
    private static readonly Decoding<string?> Text = new(reply => reply);

    public override string Version => "0";

    protected override bool IsBlocking => Trial.Option("api") != "async";

    protected override Nothing Open() => new();

    protected override Task<Nothing> OpenAsync() => Task.FromResult(new Nothing());

    protected override void Close(Nothing client)
    {
        // Nothing is open.
    }

    protected override Task CloseAsync(Nothing client) => Task.CompletedTask;

    protected override Step? Bind(string name, Arguments with) =>
        Of(static (_, key) => key, static (client, _) => client.Reply, Text);

    protected override Task Batch(Nothing client, Action<Nothing> send)
    {
        send(client);
        return Task.CompletedTask;
    }

    protected override Task Transaction(Nothing client, Action<Nothing> send) => Batch(client, send);
}

/// <summary>Replies at once.</summary>
internal sealed class Nothing
{
    public Task<string?> Reply { get; } = Task.FromResult<string?>(null);
}
