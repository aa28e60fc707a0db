using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>Reads replies: values as bytes or text, booleans as shared objects.</summary>
internal sealed class Replies(bool asText)
{
    /// <summary>The library's form of the reply OK to SET.</summary>
    public static readonly object Ok = true;

    /// <summary>Stands for PONG, which the library itself checks.</summary>
    public static readonly object Pong = "PONG";

    private static readonly object NotOk = false;

    public object? Of(RedisValue value) => asText ? (string?)value : (byte[]?)value;

    public static object Of(bool isStored) => isStored ? Ok : NotOk;

    /// <summary>Reads each value, and returns the library's own list.</summary>
    public object Of(RedisValue[] values)
    {
        foreach (var value in values)
        {
            Of(value);
        }

        return values;
    }

    /// <summary>Reads each field and value, and returns the library's own list.</summary>
    public object Of(HashEntry[] entries)
    {
        foreach (var entry in entries)
        {
            Of(entry.Name);
            Of(entry.Value);
        }

        return entries;
    }

    /// <summary>A reply without the library's own types: the values of a list, or of a hash, as bytes.</summary>
    public static object? Plain(object? reply) => reply switch
    {
        RedisValue[] values => values.Select(value => (byte[]?)value).ToArray(),
        HashEntry[] entries => entries.Select(entry => (byte[]?)entry.Value).ToArray(),
        _ => reply,
    };
}
