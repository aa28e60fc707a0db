using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using Respmark.Contract;

namespace Respmark.Clients;

/// <summary>
/// Asks a target why a library could not connect to it, over a separate socket: sends AUTH, SELECT, PING and ROLE, and
/// reads the answer in the server's own words.
/// </summary>
internal static class Inquiry
{
    private const int AnswerBytes = 4096;
    private const string Replica = "slave";
    private static readonly string[] Roles = ["master", Replica, "sentinel"];
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    public static Finding Ask(Endpoint target)
    {
        try
        {
            using var socket = Connected(target);
            using var stream = new NetworkStream(socket);
            return target.Tls is null ? Answered(stream, target) : AskInTls(stream, target);
        }
        catch (SocketException error)
        {
            return Unreachable(error.SocketErrorCode);
        }
        catch (IOException)
        {
            return Finding.Closed;
        }
        catch (OperationCanceledException)
        {
            return Finding.Silent;
        }
    }

    private static Socket Connected(Endpoint target)
    {
        System.Net.EndPoint address = target.UnixSocket is { } path
            ? new UnixDomainSocketEndPoint(path)
            : new System.Net.DnsEndPoint(target.Host!, target.Port);
        var socket = target.UnixSocket is null
            ? new Socket(SocketType.Stream, ProtocolType.Tcp)
            : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        using var patience = new CancellationTokenSource(Patience);
        socket.ConnectAsync(address, patience.Token).AsTask().GetAwaiter().GetResult();
        return socket;
    }

    private static Finding Answered(Stream stream, Endpoint target)
    {
        using var patience = new CancellationTokenSource(Patience);
        var question = Question(target);
        stream.WriteAsync(question, patience.Token).AsTask().GetAwaiter().GetResult();
        var lines = Heard(stream, patience.Token);
        if (!IsProtocol(lines))
        {
            return Finding.NoProtocol;
        }

        return lines.Contains(Replica, StringComparer.Ordinal)
            ? Finding.Replica
            : Finding.Other with { Answer = Array.Find(lines, IsError) };
    }

    /// <summary>The lines of the answer, up to the role, which is asked for last, or up to the first error.</summary>
    private static string[] Heard(Stream stream, CancellationToken patience)
    {
        var heard = new StringBuilder();
        var buffer = new byte[AnswerBytes];
        string[] lines;
        do
        {
            var length = stream.ReadAsync(buffer, patience).AsTask().GetAwaiter().GetResult();
            if (length == 0)
            {
                throw new EndOfStreamException();
            }

            heard.Append(Encoding.UTF8.GetString(buffer, 0, length));
            lines = heard.ToString().Split("\r\n");
        }
        while (IsProtocol(lines) && !Array.Exists(lines, line => IsError(line) || Roles.Contains(line, StringComparer.Ordinal)));
        return lines;
    }

    private static bool IsProtocol(string[] lines) => lines[0] is ['+' or '-' or ':' or '$' or '*' or '_' or '%', ..];

    private static bool IsError(string line) => line.StartsWith('-');

    private static Finding AskInTls(NetworkStream stream, Endpoint target)
    {
        using var tls = new SslStream(stream);
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            var options = new SslClientAuthenticationOptions { TargetHost = target.Host };
            tls.AuthenticateAsClientAsync(options, patience.Token).GetAwaiter().GetResult();
        }
        catch (AuthenticationException error)
        {
            // Only if the platform itself rejects the certificate is there no inner exception.
            return error.InnerException is null ? Finding.Untrusted : Finding.NoTls;
        }
        catch (Exception error) when (error is IOException or OperationCanceledException)
        {
            return Finding.NoTls;
        }

        return Answered(tls, target);
    }

    private static byte[] Question(Endpoint target)
    {
        var question = new StringBuilder();
        if (target.Password is { } password)
        {
            question.Append(target.Username is { } user ? Words("AUTH", user, password) : Words("AUTH", password));
        }

        question.Append(Words("SELECT", FormattableString.Invariant($"{target.Database}"))).Append(Words("PING")).Append(Words("ROLE"));
        return Encoding.UTF8.GetBytes(question.ToString());
    }

    private static string Words(params string[] words)
    {
        var sizes = words.Select(word => FormattableString.Invariant($"${Encoding.UTF8.GetByteCount(word)}\r\n{word}\r\n"));
        return FormattableString.Invariant($"*{words.Length}\r\n") + string.Concat(sizes);
    }

    private static Finding Unreachable(SocketError error) => error switch
    {
        SocketError.ConnectionRefused => Finding.NobodyListens,
        SocketError.HostNotFound or SocketError.TryAgain or SocketError.NoData => Finding.UnknownHost,
        SocketError.AddressNotAvailable => Finding.NoSocket,
        SocketError.AccessDenied => Finding.ForbiddenSocket,
        SocketError.ConnectionReset => Finding.Closed,
        _ => Finding.Unreachable,
    };
}
