using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>Sends single commands through the library's asynchronous API.</summary>
internal static class Sending
{
    public static Task Send(this IDatabaseAsync target, in Command command) => command.Form switch
    {
        Form.Get => target.StringGetAsync(command.Key),
        Form.Set => target.StringSetAsync(command.Key, command.Value),
        _ => target.ExecuteAsync(command.Name, command.Arguments),
    };

    public static object? Perform(this IDatabase database, in Command command, Replies replies) => command.Form switch
    {
        Form.Get => replies.Of(database.StringGet(command.Key)),
        Form.Set => Replies.Of(database.StringSet(command.Key, command.Value)),
        _ => Replies.Of(database.Execute(command.Name, command.Arguments)),
    };
}

/// <summary>One command through the synchronous API.</summary>
internal sealed class SyncUnit(IDatabase database, Command[] commands, Replies replies) : BlockingUnit(1)
{
    public override void Perform(Walker walker) =>
        Replies[0] = database.Perform(in commands[walker.Next()], replies);
}

/// <summary>Connect, one command, close.</summary>
internal sealed class NewConnectionUnit(
    ConfigurationOptions options, int database, Command[] commands, Replies replies)
    : BlockingUnit(1)
{
    public override void Perform(Walker walker)
    {
        using var multiplexer = ConnectionMultiplexer.Connect(options);
        Replies[0] = multiplexer.GetDatabase(database).Perform(in commands[walker.Next()], replies);
    }
}

/// <summary>One command through the asynchronous API.</summary>
internal sealed class CommandUnit(IDatabaseAsync database, Command[] commands, Replies replies) : AsyncUnit(1)
{
    private Task _sent = Task.CompletedTask;

    public override Task Send(Walker walker) => _sent = database.Send(in commands[walker.Next()]);

    public override void Read() => Replies[0] = replies.Of(_sent);
}

/// <summary>Several commands, whose tasks are kept until they are read.</summary>
internal abstract class DeepUnit(int depth, Command[] commands, Replies replies) : AsyncUnit(depth)
{
    private protected Task[] Sent { get; } = new Task[depth];

    public override void Read()
    {
        for (var index = 0; index < Sent.Length; index++)
        {
            Replies[index] = replies.Of(Sent[index]);
        }
    }

    private protected void SendAll(IDatabaseAsync target, Walker walker)
    {
        for (var index = 0; index < Sent.Length; index++)
        {
            Sent[index] = target.Send(in commands[walker.Next()]);
        }
    }
}

/// <summary>Commands issued one after the other without waiting, all awaited.</summary>
internal sealed class BurstUnit(IDatabaseAsync database, int depth, Command[] commands, Replies replies)
    : DeepUnit(depth, commands, replies)
{
    public override Task Send(Walker walker)
    {
        SendAll(database, walker);
        return Task.WhenAll(Sent);
    }
}

/// <summary>Commands collected in a batch, sent by its Execute, all awaited.</summary>
internal sealed class BatchUnit(IDatabase database, int depth, Command[] commands, Replies replies)
    : DeepUnit(depth, commands, replies)
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
internal sealed class TransactionUnit(IDatabase database, int depth, Command[] commands, Replies replies)
    : DeepUnit(depth, commands, replies)
{
    public override async Task Send(Walker walker)
    {
        var transaction = database.CreateTransaction();
        SendAll(transaction, walker);
        if (!await transaction.ExecuteAsync().ConfigureAwait(false))
        {
            // As the library tells it to the commands inside.
            throw new TaskCanceledException("EXEC was answered with nil: the transaction was not carried out");
        }

        await Task.WhenAll(Sent).ConfigureAwait(false);
    }
}
