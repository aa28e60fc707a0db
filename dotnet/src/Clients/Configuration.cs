using System.Diagnostics.CodeAnalysis;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Respmark.Contract;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>How the library is configured: as installed, except for the tie-breaker and what the trial sets.</summary>
internal static class Configuration
{
    private static readonly Version Resp3Server = new(6, 0);

    public static ConfigurationOptions Of(Endpoint target)
    {
        var options = new ConfigurationOptions
        {
            // The key that decides between several masters. Every connection would GET it, and this GET would count
            // like one of the workload.
            TieBreaker = string.Empty,
            Password = target.Password,
        };
        LibraryDifferences.Address(options, target);
        if (target.Tls is { } tls)
        {
            AddTls(options, tls, target.Host);
        }

        return options;
    }

    /// <summary>
    /// The RESP version that the library asks for as installed. Library versions that can choose (they have a setting
    /// for it) take RESP3 if the presumed version of the server has it; they presume 6 since 2.14, and less before.
    /// </summary>
    public static int Protocol()
    {
        var canChoose = typeof(ConfigurationOptions).GetProperty("Protocol") is not null;
        return canChoose && new ConfigurationOptions().DefaultVersion >= Resp3Server ? 3 : 2;
    }

    [SuppressMessage("Security", "CA5359", Justification = "the trial says in as many words: do not verify")]
    private static void AddTls(ConfigurationOptions options, Tls tls, string? host)
    {
        options.Ssl = true;
        options.SslHost = host;
        if (!tls.Verify)
        {
            options.CertificateValidation += Any;
        }
        else if (tls.CaFile is { } path)
        {
            var authorities = Pem("ca_file", () =>
            {
                var certificates = new X509Certificate2Collection();
                certificates.ImportFromPemFile(path);
                return certificates;
            });
            options.CertificateValidation += (_, certificate, _, errors) => IsTrusted(certificate, errors, authorities);
        }

        if (tls.CertificateFile is { } file)
        {
            var own = Pem("certificate_file", () => X509Certificate2.CreateFromPemFile(file, tls.KeyFile));
            options.CertificateSelection += (_, _, _, _, _) => own;
        }
    }

    private static bool Any(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) => true;

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

    private static T Pem<T>(string field, Func<T> load)
    {
        try
        {
            return load();
        }
        catch (Exception error) when (error is IOException or CryptographicException or UnauthorizedAccessException)
        {
            throw new InvalidInputException(
                $"trial.target.tls.{field} cannot be read ({error.Message}): name a PEM file");
        }
    }
}
