using System.Text;
using Respmark.Clients;
using Respmark.Tests.Support;
using Respmark.Verification;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Tests.Verification;

public class ExpectationTests
{
    private static readonly CommandTable Table = WorkloadFile.Read(Golden.Workload);
    private static readonly int Get = Find("GET", key => key < Table.Header.PreloadKeys);
    private static readonly int Miss = Find("GET", key => key >= Table.Header.PreloadKeys);
    private static readonly int Set = Find("SET", _ => true);
    private static readonly int Ping = Find("PING", _ => true);

    [Fact]
    public void RightRepliesAreRight()
    {
        var value = Table.Value(Table.KeyNumber(Get), Table.Header.ValueSizeMax);
        Assert.Null(Mismatch(Table, Get, value));
        Assert.Null(Mismatch(Table, Get, value[..Table.Header.ValueSizeMin]));
        Assert.Null(Expectation.Mismatch(Table, Get, Encoding.ASCII.GetString(value), StackExchangeRedis.Text));
        Assert.Null(Mismatch(Table, Miss, null));
        Assert.Null(Mismatch(Table, Set, Replies.Ok));
        Assert.Null(Mismatch(Table, Ping, "PONG"));
    }

    [Fact]
    public void WrongRepliesAreToldWithWhatTheyMustBe()
    {
        var value = Table.Value(Table.KeyNumber(Get), Table.Header.ValueSizeMax);
        value[3] ^= 1;
        Assert.Contains("at byte 3", Mismatch(Table, Get, value), StringComparison.Ordinal);
        Assert.Contains("the key's value as bytes, got nil", Mismatch(Table, Get, null), StringComparison.Ordinal);
        Assert.Contains("bytes, got 1", Mismatch(Table, Get, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("expected nil", Mismatch(Table, Miss, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("expected OK", Mismatch(Table, Set, false), StringComparison.Ordinal);
        Assert.Contains("expected PONG", Mismatch(Table, Ping, "PING"), StringComparison.Ordinal);
    }

    [Fact]
    public void AValueOfTheOtherKindIsWrong()
    {
        var value = Table.Value(Table.KeyNumber(Get), Table.Header.ValueSizeMax);
        Assert.Contains(
            "the key's value as bytes", Mismatch(Table, Get, Encoding.ASCII.GetString(value)), StringComparison.Ordinal);
        Assert.Contains(
            "the key's value as text",
            Expectation.Mismatch(Table, Get, value, StackExchangeRedis.Text),
            StringComparison.Ordinal);
    }

    [Fact]
    public void WrongRepliesOfOtherCommandsAreTold()
    {
        AssertWrong("MGET", Array.Empty<RedisValue>(), "expected 2 values");
        AssertWrong("MGET", new RedisValue[] { "abcd", "abcd" }, "it differs from the key's value");
        AssertWrong("MSET", false, "expected OK");
        AssertWrong("LTRIM", null, "expected OK");
        AssertWrong("INCRBY", 0L, "expected a number above 0");
        AssertWrong("LPUSH", true, "expected a number above 0");
        AssertWrong("SADD", true, "expected no member added");
        AssertWrong("ZADD", true, "expected no member added");
        AssertWrong("EXPIRE", false, "expected the key found");
        AssertWrong("LRANGE", new RedisValue[] { "abcd" }, "expected 4 values");
        AssertWrong("HGETALL", new HashEntry[] { new("field", "abcd") }, "expected 4 values");
    }

    private static void AssertWrong(string name, object? reply, string complaint)
    {
        var table = WorkloadFile.Read(Golden.Commands);
        var index = Enumerable.Range(0, table.Length).First(at => table.Kind(at).Name == name);
        Assert.Contains(complaint, Mismatch(table, index, reply), StringComparison.Ordinal);
    }

    private static string? Mismatch(CommandTable table, int index, object? reply) =>
        Expectation.Mismatch(table, index, reply, StackExchangeRedis.Bytes);

    private static int Find(string name, Predicate<uint> hasKey) => Enumerable.Range(0, Table.Length).First(index =>
        Table.Kind(index).Name == name && hasKey(Table.KeyNumber(index)));
}
