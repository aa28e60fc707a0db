namespace Respmark.Clients;

/// <summary>No client: what the runner's loops cost every client. It takes the paths that a library takes.</summary>
internal sealed class Null(Trial trial) : Adapter<Nothing, Nothing>(trial)
{
    private static readonly Decoding<NoReply> s_decoding = new(reply => reply.Value, _ => null);

    protected override string Version => "0";

    protected override bool IsBlocking => true;

    protected override Task<Nothing> OpenAsync() => Task.FromResult(new Nothing());

    protected override Task CloseAsync(Nothing client) => Task.CompletedTask;

    protected override Step? Bind(string name, Arguments with) =>
        Of(static (client, key) => client.Perform(key), static (client, key) => client.Send(key), s_decoding);

    protected override (Nothing Target, Func<Task> Flush) TargetOf(Nothing client) =>
        (client, () => Task.CompletedTask);
}

/// <summary>A connection to nowhere, which replies at once.</summary>
internal sealed class Nothing
{
    private readonly NoReply _reply = new(null);
    private readonly Task<NoReply> _sent = Task.FromResult(default(NoReply));

    public NoReply Perform(string key) => key.Length > 0 ? _reply : default;

    public Task<NoReply> Send(string key) => key.Length > 0 ? _sent : Task.FromResult(default(NoReply));
}

/// <summary>A structure, as libraries' replies are.</summary>
internal readonly record struct NoReply(object? Value);
