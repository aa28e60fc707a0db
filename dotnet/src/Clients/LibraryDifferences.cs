using Respmark.Contract;
using StackExchange.Redis;
#if !STACKEXCHANGE_REDIS_1
using System.Net.Sockets;
#endif

namespace Respmark.Clients;

/// <summary>All differences between the APIs of the library's major versions that concern this runner.</summary>
internal static class LibraryDifferences
{
    /// <summary>Why this version cannot reach the target, or null if it can.</summary>
    public static string? Objection(Endpoint target) =>
#if STACKEXCHANGE_REDIS_1
        target.UnixSocket is not null ? "version 1 knows no unix sockets: name host and port"
        : target.Username is not null ? "version 1 knows no users: leave the username out"
        : null;
#else
        null;
#endif

    /// <summary>Adds the server's address and the user.</summary>
    public static void Address(ConfigurationOptions options, Endpoint target)
    {
#if !STACKEXCHANGE_REDIS_1
        options.User = target.Username;
        if (target.UnixSocket is { } path)
        {
            options.EndPoints.Add(new UnixDomainSocketEndPoint(path));
            return;
        }
#endif
        options.EndPoints.Add(target.Host!, target.Port);
    }
}
