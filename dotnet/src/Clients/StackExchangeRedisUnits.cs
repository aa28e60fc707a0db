using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>One command through the synchronous API.</summary>
internal sealed class SyncUnit(IDatabase database, Commands commands) : BlockingUnit(1)
{
    public override void Perform(Walker walker) => Replies[0] = commands.Perform(database, walker.Next());
}

/// <summary>Connect, one command, close.</summary>
internal sealed class NewConnectionUnit(ConfigurationOptions options, int database, Commands commands) : BlockingUnit(1)
{
    public override void Perform(Walker walker)
    {
        using var multiplexer = ConnectionMultiplexer.Connect(options);
        Replies[0] = commands.Perform(multiplexer.GetDatabase(database), walker.Next());
    }
}

/// <summary>The same through the asynchronous API.</summary>
internal sealed class NewAsyncConnectionUnit(ConfigurationOptions options, int database, Commands commands) : AsyncUnit(1)
{
    private object? _reply;

    public override async Task Send(Walker walker)
    {
        var index = walker.Next();
        using var multiplexer = await ConnectionMultiplexer.ConnectAsync(options).ConfigureAwait(false);
        var sent = commands.Send(multiplexer.GetDatabase(database), index);
        await sent.ConfigureAwait(false);
        _reply = commands.Read(sent, index);
        await multiplexer.CloseAsync().ConfigureAwait(false);
    }

    public override void Read() => Replies[0] = _reply;
}

/// <summary>One command through the asynchronous API.</summary>
internal sealed class CommandUnit(IDatabaseAsync database, Commands commands) : PlaceUnit
{
    private Task _sent = Task.CompletedTask;
    private int _index;

    public override Task Send(int index)
    {
        _index = index;
        return _sent = commands.Send(database, index);
    }

    public override void Read() => Replies[0] = commands.Read(_sent, _index);
}

/// <summary>Several commands, whose tasks are kept until they are read.</summary>
internal abstract class DeepUnit(int depth, Commands commands) : AsyncUnit(depth)
{
    private readonly int[] _indices = new int[depth];

    private protected Task[] Sent { get; } = new Task[depth];

    public override void Read()
    {
        for (var place = 0; place < Sent.Length; place++)
        {
            Replies[place] = commands.Read(Sent[place], _indices[place]);
        }
    }

    private protected void SendAll(IDatabaseAsync target, Walker walker)
    {
        for (var place = 0; place < Sent.Length; place++)
        {
            _indices[place] = walker.Next();
            Sent[place] = commands.Send(target, _indices[place]);
        }
    }
}

/// <summary>Commands issued without waiting, then all awaited.</summary>
internal sealed class BurstUnit(IDatabaseAsync database, int depth, Commands commands) : DeepUnit(depth, commands)
{
    public override Task Send(Walker walker)
    {
        SendAll(database, walker);
        return Task.WhenAll(Sent);
    }
}

/// <summary>Commands collected in a batch, sent by its Execute, then all awaited.</summary>
internal sealed class BatchUnit(IDatabase database, int depth, Commands commands) : DeepUnit(depth, commands)
{
    public override Task Send(Walker walker)
    {
        var batch = database.CreateBatch();
        SendAll(batch, walker);
        batch.Execute();
        return Task.WhenAll(Sent);
    }
}

/// <summary>Commands between MULTI and EXEC, sent by ExecuteAsync.</summary>
internal sealed class TransactionUnit(IDatabase database, int depth, Commands commands) : DeepUnit(depth, commands)
{
    private Task<bool> _executed = Task.FromResult(false);

    public override Task Send(Walker walker)
    {
        var transaction = database.CreateTransaction();
        SendAll(transaction, walker);
        return _executed = transaction.ExecuteAsync();
    }

    public override Task Rest() => Task.WhenAll(Sent);

    /// <summary>A transaction that was not carried out fails as its commands do: the library cancels them.</summary>
    public override void Read()
    {
        if (!_executed.Result)
        {
            throw new TaskCanceledException("EXEC was answered with nil: the transaction was not carried out");
        }

        base.Read();
    }
}
