using BenchmarkDotNet.Attributes;
using StackExchange.Redis;

namespace Respmark.Bench;

/// <summary>Commands between MULTI and EXEC, through the library's transaction.</summary>
public class Transaction : DeepBenchmark
{
    [Benchmark]
    public async Task Get()
    {
        var first = Advance();
        var transaction = Database.CreateTransaction();
        IssueGets(transaction, first);
        await Commit(transaction).ConfigureAwait(false);
        await ReadGets(first).ConfigureAwait(false);
    }

    [Benchmark]
    public async Task Set()
    {
        var first = Advance();
        var transaction = Database.CreateTransaction();
        IssueSets(transaction, first);
        await Commit(transaction).ConfigureAwait(false);
        await ReadSets(first).ConfigureAwait(false);
    }

    private static async Task Commit(ITransaction transaction)
    {
        if (!await transaction.ExecuteAsync().ConfigureAwait(false))
        {
            throw new WrongReplyException("EXEC: the transaction was not carried out");
        }
    }
}
