using System.Diagnostics;
using StackExchange.Redis;

namespace Respmark.Bare;

/// <summary>Each loop performs commands for the given seconds, starting at <c>first</c>; returns how many.</summary>
internal sealed class Loops(IDatabase database, Commands commands)
{
    private readonly string[] _keys = commands.Keys;
    private readonly int[] _numbers = commands.Numbers;
    private readonly RedisValue[] _values = commands.Values;

    /// <summary>The last reply to GET: storing each makes sure that it is read.</summary>
    public byte[]? Last { get; private set; }

    public long Sync(double seconds, int first) => Sync(EndAfter(seconds), first);

    public long Threads(double seconds, int first, int count)
    {
        var until = EndAfter(seconds);
        var operations = new long[count];
        var threads = Enumerable.Range(0, count).Select(number => new Thread(() =>
            operations[number] = Sync(until, (int)((first + ((long)number * _keys.Length / count)) % _keys.Length)))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        return operations.Sum();
    }

    public async Task<long> BurstAsync(double seconds, int first, int depth)
    {
        var until = EndAfter(seconds);
        var (at, operations) = (first, 0L);
        var replies = new Task[depth];
        do
        {
            for (var index = 0; index < depth; index++)
            {
                replies[index] = Send(database, at);
                at = at + 1 == _keys.Length ? 0 : at + 1;
            }

            await Task.WhenAll(replies).ConfigureAwait(false);
            Read(replies);
            operations += depth;
        }
        while (Stopwatch.GetTimestamp() < until);

        return operations;
    }

    public async Task<long> BatchingAsync(double seconds, int first, int depth)
    {
        var until = EndAfter(seconds);
        var (at, operations) = (first, 0L);
        var replies = new Task[depth];
        do
        {
            var batch = database.CreateBatch();
            for (var index = 0; index < depth; index++)
            {
                replies[index] = Send(batch, at);
                at = at + 1 == _keys.Length ? 0 : at + 1;
            }

            batch.Execute();
            await Task.WhenAll(replies).ConfigureAwait(false);
            Read(replies);
            operations += depth;
        }
        while (Stopwatch.GetTimestamp() < until);

        return operations;
    }

    private static long EndAfter(double seconds) => Stopwatch.GetTimestamp() + (long)(seconds * Stopwatch.Frequency);

    private long Sync(long until, int first)
    {
        var (at, operations) = (first, 0L);
        do
        {
            var number = _numbers[at];
            if (number == Commands.Get)
            {
                Last = database.StringGet(_keys[at]);
            }
            else
            {
                database.StringSet(_keys[at], _values[number]);
            }

            at = at + 1 == _keys.Length ? 0 : at + 1;
            operations++;
        }
        while (Stopwatch.GetTimestamp() < until);

        return operations;
    }

    private Task Send(IDatabaseAsync target, int at)
    {
        var number = _numbers[at];
        return number == Commands.Get
            ? target.StringGetAsync(_keys[at])
            : target.StringSetAsync(_keys[at], _values[number]);
    }

    private void Read(Task[] replies)
    {
        foreach (var reply in replies)
        {
            if (reply is Task<RedisValue> value)
            {
                Last = value.Result;
            }
        }
    }
}
