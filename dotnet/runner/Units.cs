namespace Respmark;

/// <summary>What one latency covers: takes its commands from a walker, and blocks until every reply is decoded.</summary>
internal abstract class BlockingUnit
{
    public abstract void Perform();

    /// <summary>The same, and shows the replies.</summary>
    public abstract void Echo(Replies replies);
}

/// <summary>The same, but sent, awaited and read. Where the library has a task, that task is awaited, and no other.</summary>
internal abstract class AsyncUnit
{
    public abstract Task Send();

    /// <summary>What is to be awaited after that.</summary>
    public virtual Task Rest() => Task.CompletedTask;

    /// <summary>Decodes the replies, which have all arrived.</summary>
    public abstract void Read();

    /// <summary>The same, and shows them.</summary>
    public abstract void Echo(Replies replies);
}

/// <content>The scenarios' units.</content>
internal abstract partial class Adapter<TClient, TTarget>
{
    private sealed class BlockingCommand(TClient client, Command<Step>[] commands, Walker walker) : BlockingUnit
    {
        public override void Perform()
        {
            ref readonly var command = ref commands[walker.Next()];
            command.Step.Perform(client, command.Key);
        }

        public override void Echo(Replies replies)
        {
            ref readonly var command = ref commands[walker.Next()];
            replies.Add(command.Step.Echo(client, command.Key));
        }
    }

    private sealed class NewConnection(Adapter<TClient, TTarget> adapter, Walker walker) : BlockingUnit
    {
        public override void Perform() => With(command => command.Perform());

        public override void Echo(Replies replies) => With(command => command.Echo(replies));

        private void With(Action<BlockingCommand> perform)
        {
            var client = adapter.Open();
            try
            {
                perform(new BlockingCommand(client, adapter._commands, walker));
            }
            finally
            {
                adapter.Close(client);
            }
        }
    }

    private sealed class NewAsyncConnection(Adapter<TClient, TTarget> adapter, Walker walker) : AsyncUnit
    {
        private AsyncCommand? _command;

        public override async Task Send()
        {
            var client = await adapter.OpenAsync().ConfigureAwait(false);
            try
            {
                _command = new AsyncCommand(client, adapter._commands, walker);
                await _command.Send().ConfigureAwait(false);
            }
            finally
            {
                await adapter.CloseAsync(client).ConfigureAwait(false);
            }
        }

        public override void Read() => _command!.Read();

        public override void Echo(Replies replies) => _command!.Echo(replies);
    }

    /// <summary>One command; with <paramref name="isPlace"/> one place of a sliding window, whose walker is shared.</summary>
    private sealed class AsyncCommand(TClient client, Command<Step>[] commands, Walker walker, bool isPlace = false)
        : AsyncUnit
    {
        private Step _step = commands[0].Step;
        private Task _sent = Task.CompletedTask;

        public override Task Send()
        {
            ref readonly var command = ref commands[isPlace ? walker.NextShared() : walker.Next()];
            _step = command.Step;
            return _sent = _step.Send(client, command.Key);
        }

        public override void Read() => _step.Read(_sent);

        public override void Echo(Replies replies) => replies.Add(_step.EchoOf(_sent));
    }

    /// <summary>Several commands: sent in the scenario's way, then all awaited. Everything that holds a reply is made anew.</summary>
    private sealed class Deep : AsyncUnit
    {
        private readonly TClient _client;
        private readonly Command<Step>[] _commands;
        private readonly Walker _walker;
        private readonly Func<TClient, Action<TTarget>, Task> _way;
        private readonly Action<TTarget> _sendAll;
        private readonly int _depth;
        private Task[] _sent = [];
        private int _first;

        public Deep(Adapter<TClient, TTarget> adapter, TClient client, Walker walker)
        {
            (_client, _commands, _walker) = (client, adapter._commands, walker);
            (_way, _sendAll, _depth) = (adapter.Way, SendAll, adapter.Trial.Shape.Depth);
        }

        public override Task Send() => _way(_client, _sendAll);

        public override Task Rest() => Task.WhenAll(_sent);

        public override void Read()
        {
            var index = _first;
            foreach (var sent in _sent)
            {
                _commands[index].Step.Read(sent);
                index = index + 1 == _commands.Length ? 0 : index + 1;
            }
        }

        public override void Echo(Replies replies)
        {
            for (var place = 0; place < _sent.Length; place++)
            {
                replies.Add(_commands[(_first + place) % _commands.Length].Step.EchoOf(_sent[place]));
            }
        }

        private void SendAll(TTarget target)
        {
            var sent = new Task[_depth];
            _first = _walker.Position;
            for (var place = 0; place < sent.Length; place++)
            {
                ref readonly var command = ref _commands[_walker.Next()];
                sent[place] = command.Step.Send(target, command.Key);
            }

            _sent = sent;
        }
    }
}
