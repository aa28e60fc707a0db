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
        Assert.Contains("is not the value of its key", Mismatch(Table, Get, value), StringComparison.Ordinal);
        Assert.Contains("must be a value, but the key does not exist", Mismatch(Table, Get, null), StringComparison.Ordinal);
        Assert.Contains("has 1 bytes, which is no size", Mismatch(Table, Get, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("must be null", Mismatch(Table, Miss, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("must be OK", Mismatch(Table, Set, false), StringComparison.Ordinal);
        Assert.Contains("must be PONG", Mismatch(Table, Ping, "PING"), StringComparison.Ordinal);
    }

    [Fact]
    public void AValueOfTheOtherKindIsWrong()
    {
        var value = Table.Value(Table.KeyNumber(Get), Table.Header.ValueSizeMax);
        Assert.Contains(
            "must be a value as bytes", Mismatch(Table, Get, Encoding.ASCII.GetString(value)), StringComparison.Ordinal);
        Assert.Contains(
            "must be a value as text",
            Expectation.Mismatch(Table, Get, value, StackExchangeRedis.Text),
            StringComparison.Ordinal);
    }

    [Fact]
    public void WrongRepliesOfOtherCommandsAreTold()
    {
        AssertWrong("MGET", Array.Empty<RedisValue>(), "must be 2 values");
        AssertWrong("MGET", new RedisValue[] { "abcd", "abcd" }, "is not the value of its key");
        AssertWrong("MSET", false, "must be OK");
        AssertWrong("LTRIM", null, "must be OK");
        AssertWrong("INCRBY", 0L, "must be a number above 0");
        AssertWrong("LPUSH", true, "must be a number above 0");
        AssertWrong("SADD", true, "must be 0");
        AssertWrong("ZADD", true, "must be 0");
        AssertWrong("EXPIRE", false, "must be 1");
        AssertWrong("LRANGE", new RedisValue[] { "abcd" }, "must be 4 values");
        AssertWrong("HGETALL", new HashEntry[] { new("field", "abcd") }, "must be 4 values");
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
