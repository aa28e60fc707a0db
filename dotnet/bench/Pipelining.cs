using BenchmarkDotNet.Attributes;

namespace Respmark.Bench;

/// <summary>Commands issued through the asynchronous API without waiting, then all awaited.</summary>
public class Pipelining : DeepBenchmark
{
    [Benchmark]
    public Task Get()
    {
        var first = Advance();
        IssueGets(Database, first);
        return ReadGets(first);
    }

    [Benchmark]
    public Task Set()
    {
        var first = Advance();
        IssueSets(Database, first);
        return ReadSets(first);
    }
}
