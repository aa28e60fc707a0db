using System.Text;
using Respmark.Clients;
using Respmark.Workload;

namespace Respmark.Verification;

/// <summary>Knows what the reply to every command of the workload must be.</summary>
internal static class Expectation
{
    private const int LongestShown = 60;

    /// <summary>What is wrong with a reply to command <paramref name="index"/>, or null when it is right.</summary>
    public static string? Mismatch(CommandTable workload, int index, object? reply, string decodesTo) => workload.Kind(index).Name switch
    {
        "GET" => MismatchOfGet(workload, workload.KeyNumber(index), reply, decodesTo),
        "SET" => Equals(reply, Replies.Ok) ? null : $"expected OK, got {Shown(reply)}",
        "PING" => Equals(reply?.ToString(), "PONG") ? null : $"expected PONG, got {Shown(reply)}",
        _ => null,
    };

    /// <summary>Another process may have set the key to another size since: any beginning of its value is right.</summary>
    private static string? MismatchOfGet(CommandTable workload, uint key, object? reply, string decodesTo)
    {
        var header = workload.Header;
        if (key >= header.PreloadKeys)
        {
            return reply is null ? null : $"expected nil, got {Shown(reply)}";
        }

        if (BytesOf(reply, decodesTo) is not { } bytes)
        {
            return $"expected the key's value as {decodesTo}, got {Shown(reply)}";
        }

        if (bytes.Length < header.ValueSizeMin || bytes.Length > header.ValueSizeMax)
        {
            return $"expected {header.ValueSizeMin} to {header.ValueSizeMax} bytes, got {bytes.Length}: {Shown(reply)}";
        }

        var expected = workload.Value(key, bytes.Length);
        var at = expected.AsSpan().CommonPrefixLength(bytes);
        return at == bytes.Length
            ? null
            : $"it differs from the key's value at byte {at}: expected {Shown(expected[at..])}, got {Shown(bytes[at..])}";
    }

    private static byte[]? BytesOf(object? reply, string decodesTo) => reply switch
    {
        byte[] bytes when decodesTo == StackExchangeRedis.Bytes => bytes,
        string text when decodesTo == StackExchangeRedis.Text => Encoding.UTF8.GetBytes(text),
        _ => null,
    };

    private static string Shown(object? reply)
    {
        var text = reply switch
        {
            null => "nil",
            byte[] bytes => $"\"{Encoding.UTF8.GetString(bytes)}\"",
            _ => $"\"{reply}\"",
        };
        return text.Length > LongestShown ? $"{text[..LongestShown]}…" : text;
    }
}
