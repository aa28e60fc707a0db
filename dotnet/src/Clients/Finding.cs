namespace Respmark.Clients;

/// <summary>What was found at a target, in the contract's sentences, and the server's error reply, if any.</summary>
internal sealed record Finding(string Meaning, string Advice, string? Answer = null)
{
    public static readonly Finding Replica = new("is a read-only replica", "name the primary as target");

    public static readonly Finding NobodyListens = new("refuses connections", "start the server, or correct host and port");

    public static readonly Finding NoSocket = new("does not exist", "start the server, or correct the path of the socket");

    public static readonly Finding ForbiddenSocket = new("may not be opened by this user", "check the socket's permissions");

    public static readonly Finding UnknownHost = new("is not a known host", "correct the host");

    public static readonly Finding Untrusted =
        new("has a certificate that is not trusted", "give the right ca_file, or verify = false");

    public static readonly Finding NoTls =
        new("did not complete the TLS handshake", "check that it speaks TLS on this port, and the certificate files");

    public static readonly Finding Silent = new(
        "does not answer in time",
        "check that it is up, that no firewall is between, and whether it speaks TLS on this port");

    public static readonly Finding Closed =
        new("closed the connection", "check that it is up, and whether it expects TLS on this port");

    public static readonly Finding NoProtocol = new(
        "does not speak the protocol of Redis", "check whether it expects TLS on this port, or is another kind of server");

    public static readonly Finding Unreachable = new("cannot be reached", "check host, port and network");

    public static readonly Finding Other = new("failed", "see its log");

    /// <summary>All of them.</summary>
    public static IEnumerable<Finding> All =>
    [
        Replica, NobodyListens, NoSocket, ForbiddenSocket, UnknownHost, Untrusted, NoTls, Silent, Closed, NoProtocol,
        Unreachable, Other,
    ];
}
