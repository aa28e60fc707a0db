using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>Reads what a command was answered: a GET to its bytes or its text, a SET to what the server means by it.</summary>
internal sealed class Replies(bool asText)
{
    /// <summary>The library's form of the reply OK to SET.</summary>
    public static readonly object Ok = true;

    private static readonly object NotOk = false;

    public object? Of(RedisValue value) => asText ? (string?)value : (byte[]?)value;

    public static object Of(bool isStored) => isStored ? Ok : NotOk;

    public static object? Of(RedisResult? result) => result is null || result.IsNull ? null : result;
}
