using System.Reflection;
using System.Text.Json.Nodes;

namespace Respmark;

/// <summary>One library in one trial, whatever its types are.</summary>
internal abstract class Adapter(Trial trial)
{
    /// <summary>The library's version that is really loaded.</summary>
    public abstract string Version { get; }

    /// <summary>What a reader must know of how the library is used.</summary>
    public virtual JsonObject Settings => [];

    private protected Trial Trial { get; } = trial;

    /// <summary>The trial's library: the class in <c>clients/</c> that the trial names.</summary>
    public static Adapter Of(Trial trial)
    {
        var type = Type.GetType($"Respmark.Clients.{trial.Adapter}", throwOnError: true)!;
        return (Adapter)Activator.CreateInstance(type, BindingFlags.DoNotWrapExceptions, null, [trial], null)!;
    }

    /// <summary>Makes every command of the workload; returns how many.</summary>
    public abstract int Prepare(Workload workload);

    /// <summary>Opens every connection of the trial.</summary>
    public abstract void Connect();

    /// <summary>The loop of one walker over the trial's scenario.</summary>
    public abstract Loop LoopOf(int number, Walker walker, Samples samples, Errors errors);

    /// <summary>The scenario as a user would write it, without the runner's loops.</summary>
    public abstract Bared Bare(BareOrder order);

    /// <summary>Closes every connection.</summary>
    public abstract void Close();
}

/// <summary>
/// What the adapter of a library says of it: how to connect, how to send each command, how to batch. The scenarios follow
/// from that.
/// </summary>
/// <typeparam name="TClient">A connected client, on which commands block.</typeparam>
/// <typeparam name="TTarget">What asynchronous commands are sent on: a client, a batch, a transaction.</typeparam>
internal abstract partial class Adapter<TClient, TTarget>(Trial trial) : Adapter(trial)
    where TClient : class, TTarget
    where TTarget : class
{
    private Command<Step>[] _commands = [];
    private TClient[] _clients = [];

    /// <summary>Whether single commands block a thread, rather than being awaited.</summary>
    protected abstract bool IsBlocking { get; }

    /// <summary>How the commands of a unit that has several are sent.</summary>
    private Func<TClient, Action<TTarget>, Task> Way => Trial.Scenario switch
    {
        "batching" => Batch,
        "transaction" => Transaction,
        _ => (client, send) =>
        {
            send(client);
            return Task.CompletedTask;
        },
    };

    public override int Prepare(Workload workload)
    {
        _commands = workload.Bind((name, with) => Bind(name, with)
            ?? throw new UnsupportedException($"{Trial.Client} has no method for {name}: leave the command out"));
        return _commands.Length;
    }

    public override void Connect()
    {
        _clients = new TClient[Trial.Scenario == "new-connection" ? 0 : Trial.Shape.Connections];
        for (var number = 0; number < _clients.Length; number++)
        {
            _clients[number] = Open();
        }
    }

    public override Loop LoopOf(int number, Walker walker, Samples samples, Errors errors)
    {
        var client = _clients.Length > 0 ? _clients[number % _clients.Length] : null!;
        return (Trial.Scenario, Trial.Shape.Window) switch
        {
            ("sync" or "threads", _) when IsBlocking =>
                new BlockingLoop(new BlockingCommand(client, _commands, walker), walker, samples, errors),
            ("sync" or "threads", _) =>
                new UnitLoop(new AsyncCommand(client, _commands, walker), walker, samples, errors),
            ("new-connection", _) when IsBlocking =>
                new BlockingLoop(new NewConnection(this, walker), walker, samples, errors),
            ("new-connection", _) =>
                new UnitLoop(new NewAsyncConnection(this, walker), walker, samples, errors),
            ("pipelining", "sliding") =>
                new WindowLoop(Places(client, walker), walker, samples, errors),
            _ =>
                new UnitLoop(new Deep(this, client, walker), walker, samples, errors),
        };
    }

    public override void Close() => Array.ForEach(_clients, Close);

    /// <summary>Connects as the library's documentation says.</summary>
    protected abstract TClient Open();

    protected abstract Task<TClient> OpenAsync();

    protected abstract void Close(TClient client);

    protected abstract Task CloseAsync(TClient client);

    /// <summary>How the library sends a command, with its arguments bound; null if it has no method for it.</summary>
    protected abstract Step? Bind(string name, Arguments with);

    /// <summary>Has commands sent on a new batch, and flushes it; the commands' own tasks are awaited elsewhere.</summary>
    protected abstract Task Batch(TClient client, Action<TTarget> send);

    /// <summary>The same with a new transaction.</summary>
    protected abstract Task Transaction(TClient client, Action<TTarget> send);

    private AsyncUnit[] Places(TClient client, Walker walker) =>
        [.. Enumerable.Range(0, Trial.Shape.Depth).Select(_ => new AsyncCommand(client, _commands, walker, isPlace: true))];
}
