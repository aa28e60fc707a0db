using BenchmarkDotNet.Attributes;
using StackExchange.Redis;

namespace Respmark.Bench;

/// <summary>An operation of several commands: the scenario decides how they are issued; the rest is the same.</summary>
public abstract class DeepBenchmark : Benchmark
{
    private Task<RedisValue>[] _gets = [];
    private Task<bool>[] _sets = [];

    /// <summary>Commands in one operation.</summary>
    [Params(10, 100)]
    public int Depth { get; set; }

    private protected override int Commands => Depth;

    private protected override void MakeRoom()
    {
        _gets = new Task<RedisValue>[Depth];
        _sets = new Task<bool>[Depth];
    }

    private protected void IssueGets(IDatabaseAsync target, int first)
    {
        for (var offset = 0; offset < _gets.Length; offset++)
        {
            _gets[offset] = target.StringGetAsync(Keys[first + offset]);
        }
    }

    private protected void IssueSets(IDatabaseAsync target, int first)
    {
        for (var offset = 0; offset < _sets.Length; offset++)
        {
            _sets[offset] = target.StringSetAsync(Keys[first + offset], Values[first + offset]);
        }
    }

    private protected async Task ReadGets(int first)
    {
        var replies = await Task.WhenAll(_gets).ConfigureAwait(false);
        for (var offset = 0; offset < replies.Length; offset++)
        {
            Got[first + offset] = replies[offset];
        }
    }

    private protected async Task ReadSets(int first)
    {
        var replies = await Task.WhenAll(_sets).ConfigureAwait(false);
        replies.CopyTo(Stored, first);
    }
}
