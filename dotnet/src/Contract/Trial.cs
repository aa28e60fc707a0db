namespace Respmark.Contract;

/// <summary>Ways of using a client; what goes on the wire is part of each definition.</summary>
internal enum Scenario
{
    Sync,
    Pipelining,
    Batching,
    Transaction,
    Threads,
    Pool,
    NewConnection,
    Caching,
}

/// <summary>How <c>pipelining</c> bounds what is in flight.</summary>
internal enum PipeliningWindow
{
    Burst,
    Sliding,
}

/// <summary>How a transaction's commands travel.</summary>
internal enum TransactionForm
{
    Queued,
    Batched,
}

/// <summary>A scenario with its numbers and forms; those that it does not use are null.</summary>
internal sealed record Shape(
    Scenario Scenario,
    int? Depth,
    PipeliningWindow? Window,
    TransactionForm? Form,
    int? Threads,
    int? Connections);

/// <summary>A client library in one configuration.</summary>
/// <param name="Library">Its name.</param>
/// <param name="Version">The requested version; null: the one that was built in.</param>
/// <param name="Options">Strings, integers and booleans, by the options' names.</param>
internal sealed record ClientChoice(string Library, string? Version, IReadOnlyDictionary<string, object> Options);

/// <summary>Which workload file to replay, and this process's part in it.</summary>
internal sealed record WorkloadPart(string Path, int Part, int Parts);

/// <summary>How to speak TLS to the target.</summary>
internal sealed record Tls(string? CaFile, string? CertificateFile, string? KeyFile, bool Verify);

/// <summary>Where the server is (host and port, or a unix socket) and how to connect to it.</summary>
internal sealed record Endpoint(
    string? Host, int Port, string? UnixSocket, int Database, string? Username, string? Password, Tls? Tls)
{
    /// <summary>The address as people write it.</summary>
    public string Address => UnixSocket ?? FormattableString.Invariant($"{Host}:{Port}");

    /// <summary>Without the password: records print all their members.</summary>
    public override string ToString() => Address;
}

/// <summary>One trial, for this process.</summary>
internal sealed record Trial(
    string TrialId,
    ClientChoice Client,
    Shape Shape,
    WorkloadPart Workload,
    Endpoint Target,
    int VerifyCommands);
