using System.Globalization;
using System.Text;
using Respmark.Clients;
using Respmark.Workload;

namespace Respmark.Verification;

/// <summary>Knows what the reply to every command of the workload must be.</summary>
internal static class Expectation
{
    private const int LongestShown = 60;

    /// <summary>What is wrong with the reply to command <paramref name="index"/>, or null if it is right.</summary>
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
            "SADD" or "ZADD" => Expected(Equals(reply, false), "0", reply),
            "EXPIRE" => Expected(Equals(reply, true), "1", reply),
            "PING" => Expected(Equals(reply, Replies.Pong), "PONG", reply),
            _ => null,
        };
    }

    private static string? Expected(bool isRight, string what, object? reply) =>
        isRight ? null : $"must be {what}, not {Shown(reply)}";

    /// <summary>How many elements an LRANGE returns: no list is shorter.</summary>
    private static int LengthOf(IReadOnlyList<Argument> words) =>
        int.Parse(words[2].Text, CultureInfo.InvariantCulture) - int.Parse(words[1].Text, CultureInfo.InvariantCulture) + 1;

    /// <summary>The values of the library's own lists are compared as bytes, whatever they were read as.</summary>
    private static string? MismatchOfMany(CommandTable workload, uint[] keys, object? reply) =>
        Replies.Plain(reply) is byte[]?[] values && values.Length == keys.Length
            ? keys.Zip(values, (key, value) => MismatchOfGet(workload, key, value, StackExchangeRedis.Bytes)).FirstOrDefault(wrong => wrong is not null)
            : $"must be {keys.Length} values, not {Shown(reply)}";

    /// <summary>Another process may since have changed the value's size: any beginning of it is right.</summary>
    private static string? MismatchOfGet(CommandTable workload, uint key, object? reply, string decodesTo)
    {
        var header = workload.Header;
        if (key >= header.PreloadKeys)
        {
            return reply is null ? null : $"must be null, not {Shown(reply)}";
        }

        if (reply is null)
        {
            return "must be a value, but the key does not exist: preload the target";
        }

        if (BytesOf(reply, decodesTo) is not { } bytes)
        {
            return $"must be a value as {decodesTo}, not {Shown(reply)}";
        }

        if (bytes.Length < header.ValueSizeMin || bytes.Length > header.ValueSizeMax)
        {
            return $"has {bytes.Length} bytes, which is no size of this workload";
        }

        return workload.Value(key, bytes.Length).AsSpan().SequenceEqual(bytes)
            ? null
            : $"is not the value of its key: {Shown(reply)}";
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
            null => "null",
            byte[] bytes => $"\"{Encoding.UTF8.GetString(bytes)}\"",
            _ => $"\"{reply}\"",
        };
        return text.Length > LongestShown ? $"{text[..LongestShown]}…" : text;
    }
}
