namespace Respmark;

/// <content>The scenarios' units. Whatever holds a reply is made anew in each.</content>
internal abstract partial class Adapter<TClient, TTarget>
{
    /// <summary>The places of a walker. A library that has a pool or a cache of its own adds what a unit of these is.</summary>
    protected virtual Unit[] UnitsOf(TClient client, Walker walker) => (Trial.Scenario, Trial.Shape.Window) switch
    {
        ("new-connection", _) => [new NewConnection(this, walker)],
        ("sync" or "threads", _) => [CommandOf(client, walker)],
        (_, "sliding") =>
            Array.ConvertAll(new Unit[Trial.Shape.Depth], _ => new AsyncCommand(client, _commands, walker)),
        ("pipelining" or "batching" or "transaction", _) => [new SeveralCommands(this, client, walker)],
        _ => throw new UnsupportedException($"{Trial.Client} has no {Trial.Scenario}"),
    };

    /// <summary>One command on a client.</summary>
    protected Unit CommandOf(TClient client, Walker walker) =>
        IsBlocking ? new BlockingCommand(client, _commands, walker) : new AsyncCommand(client, _commands, walker);

    private sealed class BlockingCommand(TClient client, Command<Step>[] commands, Walker walker) : Unit
    {
        public override Task Send(Replies? shown)
        {
            ref readonly var command = ref commands[walker.Next()];
            command.Step.Perform!(client, command.Key, shown);
            return Task.CompletedTask;
        }
    }

    private sealed class AsyncCommand(TClient client, Command<Step>[] commands, Walker walker) : Unit
    {
        private Step _step = commands[0].Step;
        private Task _sent = Task.CompletedTask;

        public override Task Send(Replies? shown)
        {
            ref readonly var command = ref commands[walker.Next()];
            _step = command.Step;
            return _sent = _step.Send!(client, command.Key);
        }

        public override void Read(Replies? shown) => _step.Read!(_sent, shown);
    }

    private sealed class SeveralCommands(Adapter<TClient, TTarget> adapter, TClient client, Walker walker) : Unit
    {
        public override async Task Send(Replies? shown)
        {
            var (steps, sent) = (new Step[adapter.Trial.Shape.Depth], new Task[adapter.Trial.Shape.Depth]);
            var (target, flush) = adapter.TargetOf(client);
            for (var place = 0; place < sent.Length; place++)
            {
                (steps[place], var key) = adapter._commands[walker.Next()];
                sent[place] = steps[place].Send!(target, key);
            }

            await flush().ConfigureAwait(false);
            await Task.WhenAll(sent).ConfigureAwait(false);
            for (var place = 0; place < sent.Length; place++)
            {
                steps[place].Read!(sent[place], shown);
            }
        }
    }

    private sealed class NewConnection(Adapter<TClient, TTarget> adapter, Walker walker) : Unit
    {
        public override async Task Send(Replies? shown)
        {
            var client = await adapter.OpenAsync().ConfigureAwait(false);
            try
            {
                var command = adapter.CommandOf(client, walker);
                await command.Send(shown).ConfigureAwait(false);
                command.Read(shown);
            }
            finally
            {
                await adapter.CloseAsync(client).ConfigureAwait(false);
            }
        }
    }
}
