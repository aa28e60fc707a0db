using System.Globalization;
using System.Text;
using Respmark.Clients;
using Respmark.Workload;

namespace Respmark.Verification;

/// <summary>Knows what the reply to every command of the workload must be.</summary>
internal static class Expectation
{
    private const int LongestShown = 60;

    /// <summary>What is wrong with a reply to command <paramref name="index"/>, or null when it is right.</summary>
    public static string? Mismatch(CommandTable workload, int index, object? reply, string decodesTo)
    {
        var key = workload.KeyNumber(index);
        var words = workload.Kind(index).Arguments;
        return workload.Kind(index).Name switch
        {
            "GET" => MismatchOfGet(workload, key, reply, decodesTo),
            "MGET" => MismatchOfMany(workload, [.. words.Select(word => key + word.Offset)], reply),
            "LRANGE" => MismatchOfMany(workload, [.. Enumerable.Repeat(key, LengthOf(words))], reply),
            "HGETALL" => MismatchOfMany(workload, [.. Enumerable.Repeat(key, workload.Header.HashFields)], reply),
            "SET" or "MSET" or "LTRIM" => Expected(Equals(reply, Replies.Ok), "OK", reply),
            "INCRBY" or "LPUSH" => Expected(reply is > 0L, "a number above 0", reply),
            "SADD" or "ZADD" => Expected(Equals(reply, false), "no member added", reply),
            "EXPIRE" => Expected(Equals(reply, true), "the key found", reply),
            "PING" => Expected(Equals(reply, Replies.Pong), "PONG", reply),
            _ => null,
        };
    }

    private static string? Expected(bool isRight, string what, object? reply) =>
        isRight ? null : $"expected {what}, got {Shown(reply)}";

    /// <summary>How many elements an LRANGE asks for: lists are longer.</summary>
    private static int LengthOf(IReadOnlyList<Argument> words) =>
        int.Parse(words[2].Text, CultureInfo.InvariantCulture) - int.Parse(words[1].Text, CultureInfo.InvariantCulture) + 1;

    /// <summary>The library's own list gives its values as bytes whatever they were read to.</summary>
    private static string? MismatchOfMany(CommandTable workload, uint[] keys, object? reply) =>
        Replies.Plain(reply) is byte[]?[] values && values.Length == keys.Length
            ? keys.Zip(values, (key, value) => MismatchOfGet(workload, key, value, StackExchangeRedis.Bytes)).FirstOrDefault(wrong => wrong is not null)
            : $"expected {keys.Length} values, got {Shown(reply)}";

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
