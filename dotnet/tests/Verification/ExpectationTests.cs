using System.Text;
using Respmark.Clients;
using Respmark.Tests.Support;
using Respmark.Verification;
using Respmark.Workload;

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
        Assert.Null(Expectation.Mismatch(Table, Get, value));
        Assert.Null(Expectation.Mismatch(Table, Get, value[..Table.Header.ValueSizeMin]));
        Assert.Null(Expectation.Mismatch(Table, Get, Encoding.ASCII.GetString(value)));
        Assert.Null(Expectation.Mismatch(Table, Miss, null));
        Assert.Null(Expectation.Mismatch(Table, Set, Replies.Ok));
        Assert.Null(Expectation.Mismatch(Table, Ping, "PONG"));
    }

    [Fact]
    public void WrongRepliesAreToldWithWhatTheyMustBe()
    {
        var value = Table.Value(Table.KeyNumber(Get), Table.Header.ValueSizeMax);
        value[3] ^= 1;
        Assert.Contains("at byte 3", Expectation.Mismatch(Table, Get, value), StringComparison.Ordinal);
        Assert.Contains("the key's value, got nil", Expectation.Mismatch(Table, Get, null), StringComparison.Ordinal);
        Assert.Contains("bytes, got 1", Expectation.Mismatch(Table, Get, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("expected nil", Expectation.Mismatch(Table, Miss, "x"u8.ToArray()), StringComparison.Ordinal);
        Assert.Contains("expected OK", Expectation.Mismatch(Table, Set, false), StringComparison.Ordinal);
        Assert.Contains("expected PONG", Expectation.Mismatch(Table, Ping, "PING"), StringComparison.Ordinal);
    }

    private static int Find(string name, Predicate<uint> hasKey) => Enumerable.Range(0, Table.Length).First(index =>
        Table.Kind(index).Name == name && hasKey(Table.KeyNumber(index)));
}
