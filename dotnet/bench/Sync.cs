using BenchmarkDotNet.Attributes;

namespace Respmark.Bench;

/// <summary>One command through the synchronous API.</summary>
public class Sync : Benchmark
{
    [Benchmark]
    public void Get()
    {
        var number = Advance();
        Got[number] = Database.StringGet(Keys[number]);
    }

    [Benchmark]
    public void Set()
    {
        var number = Advance();
        Stored[number] = Database.StringSet(Keys[number], Values[number]);
    }
}
