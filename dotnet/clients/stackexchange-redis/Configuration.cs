using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using StackExchange.Redis;
#if !STACKEXCHANGE_REDIS_1
using System.Net.Sockets;
#endif

namespace Respmark.Clients;

/// <summary>How the library is configured: as installed, except for the tie-breaker and what the trial sets.</summary>
internal static class Configuration
{
    /// <summary>What the option <c>limits</c> asks for, in milliseconds.</summary>
    private const int Limit = 1_000;

    public static ConfigurationOptions Of(Trial trial)
    {
        var server = trial.Server;
        var options = new ConfigurationOptions
        {
            // The key that decides between several masters. Every connection would GET it, and this GET would count
            // like one of the workload.
            TieBreaker = string.Empty,
            Password = server.Password,
        };
        Address(options, server);
        if (server.Tls is { } tls)
        {
            AddTls(options, tls, server.Host);
        }

        AddLimits(options, trial);
        return options;
    }

    /// <summary>Asynchronous commands have the limit of synchronous ones, unless one of their own is set.</summary>
    private static void AddLimits(ConfigurationOptions options, Trial trial)
    {
        var isStrict = trial.Has("limits", "strict");
        if (isStrict || trial.Has("limits", "1s"))
        {
            (options.ConnectTimeout, options.SyncTimeout) = (Limit, Limit);
        }

        if (isStrict)
        {
            KeepLimits(options);
        }
    }

#if STACKEXCHANGE_REDIS_WITHOUT_BACKLOG
    private static void KeepLimits(ConfigurationOptions options) =>
        throw new UnsupportedException("limits=strict needs options that came with StackExchange.Redis 2.7");
#else
    /// <summary>
    /// What it takes to keep the limit: commands are not queued while there is no connection, those that are late are
    /// looked for more often, idle connections are made sure of, and the kernel gives up those whose peer is gone.
    /// </summary>
    private static void KeepLimits(ConfigurationOptions options)
    {
        const int userTimeout = 18;
        options.BacklogPolicy = BacklogPolicy.FailFast;
        options.HeartbeatInterval = TimeSpan.FromMilliseconds(Limit / 10);
        options.KeepAlive = Limit / 1_000;
        options.BeforeSocketConnect = (_, _, socket) =>
        {
            if (socket.ProtocolType == ProtocolType.Tcp)
            {
                socket.SetRawSocketOption((int)SocketOptionLevel.Tcp, userTimeout, BitConverter.GetBytes(Limit));
            }
        };
    }
#endif

#if STACKEXCHANGE_REDIS_1
    private static void Address(ConfigurationOptions options, Server server)
    {
        if (server.UnixSocket is not null || server.Username is not null)
        {
            throw new UnsupportedException(
                "StackExchange.Redis 1 knows neither unix sockets nor users: name host, port and password");
        }

        if (server.Host!.Contains(':', StringComparison.Ordinal))
        {
            throw new UnsupportedException(
                "StackExchange.Redis 1 has no IPv6: name the server by an IPv4 address or a host name");
        }

        options.EndPoints.Add(server.Host, server.Port!.Value);
    }
#else
    private static void Address(ConfigurationOptions options, Server server)
    {
        options.User = server.Username;
        if (server.UnixSocket is { } path)
        {
            options.EndPoints.Add(new UnixDomainSocketEndPoint(path));
        }
        else
        {
            options.EndPoints.Add(server.Host!, server.Port!.Value);
        }
    }
#endif

    [SuppressMessage("Security", "CA5359", Justification = "the trial says in as many words: do not verify")]
    private static void AddTls(ConfigurationOptions options, Tls tls, string? host)
    {
        options.Ssl = true;
        options.SslHost = host;
        if (!tls.Verify)
        {
            options.CertificateValidation += (_, _, _, _) => true;
        }
        else if (tls.CaFile is { } path)
        {
            var authorities = new X509Certificate2Collection();
            authorities.ImportFromPemFile(path);
            options.CertificateValidation += (_, certificate, _, errors) => IsTrusted(certificate, errors, authorities);
        }

        if (tls.CertificateFile is { } file)
        {
            var own = X509Certificate2.CreateFromPemFile(file, tls.KeyFile);
            options.CertificateSelection += (_, _, _, _, _) => own;
        }
    }

    private static bool IsTrusted(
        X509Certificate? certificate, SslPolicyErrors errors, X509Certificate2Collection authorities)
    {
        if (certificate is null || (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != SslPolicyErrors.None)
        {
            return false;
        }

        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(authorities);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        using var presented = X509CertificateLoader.LoadCertificate(certificate.GetRawCertData());
        return chain.Build(presented);
    }
}
