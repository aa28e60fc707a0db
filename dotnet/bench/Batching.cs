using BenchmarkDotNet.Attributes;

namespace Respmark.Bench;

/// <summary>Commands collected in a batch, sent by its Execute, then all awaited.</summary>
public class Batching : DeepBenchmark
{
    [Benchmark]
    public Task Get()
    {
        var first = Advance();
        var batch = Database.CreateBatch();
        IssueGets(batch, first);
        batch.Execute();
        return ReadGets(first);
    }

    [Benchmark]
    public Task Set()
    {
        var first = Advance();
        var batch = Database.CreateBatch();
        IssueSets(batch, first);
        batch.Execute();
        return ReadSets(first);
    }
}
