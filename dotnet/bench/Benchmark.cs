using BenchmarkDotNet.Attributes;
using StackExchange.Redis;

namespace Respmark.Bench;

/// <summary>What all benchmarks share: a connection, keys and values made beforehand, each key's last reply.</summary>
public abstract class Benchmark
{
    private protected RedisKey[] Keys { get; } = new RedisKey[Server.Keys];

    private protected RedisValue[] Values { get; } = new RedisValue[Server.Keys];

    private protected IDatabase Database { get; private set; } = null!;

    /// <summary>The last reply to GET of each key.</summary>
    private protected byte[]?[] Got { get; } = new byte[Server.Keys][];

    /// <summary>The last reply to SET of each key.</summary>
    private protected bool[] Stored { get; } = new bool[Server.Keys];

    /// <summary>Commands in one operation; the number of keys is a multiple of this.</summary>
    private protected virtual int Commands => 1;

    private ConnectionMultiplexer? _multiplexer;
    private int _next;
    private int _touched;

    [GlobalSetup]
    public void Connect()
    {
        _multiplexer = Server.Connect();
        Database = _multiplexer.GetDatabase();
        for (var number = 0; number < Server.Keys; number++)
        {
            (Keys[number], Values[number]) = Server.Entry(number);
            Database.StringSet(Keys[number], Values[number]);
        }

        MakeRoom();
    }

    [GlobalCleanup(Target = "Get")]
    public void CheckValues()
    {
        for (var number = 0; number < _touched; number++)
        {
            if (Got[number] is not { } reply || !reply.AsSpan().SequenceEqual((byte[])Values[number]!))
            {
                throw new WrongReplyException($"GET {(string?)Keys[number]}: the reply is not the key's value");
            }
        }

        _multiplexer?.Dispose();
    }

    [GlobalCleanup(Target = "Set")]
    public void CheckStored()
    {
        for (var number = 0; number < _touched; number++)
        {
            if (!Stored[number])
            {
                throw new WrongReplyException($"SET {(string?)Keys[number]}: the reply is not OK");
            }
        }

        _multiplexer?.Dispose();
    }

    /// <summary>Makes what the operations need besides keys and values.</summary>
    private protected virtual void MakeRoom()
    {
    }

    /// <summary>Starts the next operation; returns the number of its first key.</summary>
    private protected int Advance()
    {
        var first = _next;
        var end = first + Commands;
        _touched = Math.Max(_touched, end);
        _next = end < Server.Keys ? end : 0;
        return first;
    }
}
