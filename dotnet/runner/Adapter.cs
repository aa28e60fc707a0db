using System.Reflection;

namespace Respmark;

/// <summary>One library in one trial, whatever its types are.</summary>
internal abstract class Adapter(Trial trial)
{
    /// <summary>What is really loaded.</summary>
    public Dictionary<string, string> Versions =>
        new(StringComparer.Ordinal) { [trial.Client] = Version, [".NET"] = $"{Environment.Version}" };

    /// <summary>What a reader must know of how the library is used.</summary>
    public virtual JsonObject Settings => [];

    protected abstract string Version { get; }

    protected Trial Trial => trial;

    /// <summary>The class in <c>clients/</c> that the trial names.</summary>
    public static Adapter Of(Trial trial) => (Adapter)Activator.CreateInstance(
        Type.GetType($"Respmark.Clients.{trial.Adapter}", throwOnError: true)!,
        BindingFlags.DoNotWrapExceptions, binder: null, [trial], culture: null)!;

    /// <summary>Makes every command of the workload; returns how many.</summary>
    public abstract int Prepare(Workload workload);

    /// <summary>Opens every connection of the trial; returns a loop for each walker.</summary>
    public abstract Loop[] Connect(Walker[] walkers);

    /// <summary>Opens a client; returns what performs the first command on it.</summary>
    public abstract Unit OpenOne();

    public abstract void Close();
}

/// <summary>How a library connects, sends each command, and batches. The scenarios follow from that.</summary>
/// <typeparam name="TClient">A connected client.</typeparam>
/// <typeparam name="TTarget">What commands are sent on without waiting: a client, a batch, a transaction.</typeparam>
internal abstract partial class Adapter<TClient, TTarget>(Trial trial) : Adapter(trial)
    where TClient : class, TTarget
    where TTarget : class
{
    private Command<Step>[] _commands = [];
    private TClient?[] _clients = [];

    /// <summary>Whether single commands block a thread, rather than being awaited.</summary>
    protected abstract bool IsBlocking { get; }

    public override int Prepare(Workload workload)
    {
        _commands = workload.Bind((name, with) => Bind(name, with)
            ?? throw new UnsupportedException($"{Trial.Client} has no method for {name}: leave the command out"));
        return _commands.Length;
    }

    public override Loop[] Connect(Walker[] walkers)
    {
        _clients = new TClient?[Trial.Shape.Connections];
        for (var number = 0; number < _clients.Length && Trial.Scenario != "new-connection"; number++)
        {
            _clients[number] = OpenAsync().GetAwaiter().GetResult();
        }

        var isBlocking = IsBlocking && Trial.Scenario is "sync" or "threads" or "new-connection";
        return
        [
            .. walkers.Select((walker, number) => new Loop(
                walker,
                UnitsOf(_clients[number % _clients.Length]!, walker),
                isBlocking,
                isBlocking || Trial.Open ? new OwnThread() : null)),
        ];
    }

    public override Unit OpenOne()
    {
        var client = OpenAsync().GetAwaiter().GetResult();
        _clients = [client];
        return CommandOf(client, new Walker(_commands.Length, 0, isShared: false));
    }

    public override void Close()
    {
        foreach (var client in _clients.OfType<TClient>())
        {
            CloseAsync(client).GetAwaiter().GetResult();
        }
    }

    /// <summary>Connects as the library's documentation says; blocks where single commands do.</summary>
    protected abstract Task<TClient> OpenAsync();

    protected abstract Task CloseAsync(TClient client);

    /// <summary>How the library sends a command, with its arguments bound; null if it has no method for it.</summary>
    protected abstract Step? Bind(string name, Arguments with);

    /// <summary>What a unit's commands are sent on, made anew, and what flushes them: the scenario's way.</summary>
    protected virtual (TTarget Target, Func<Task> Flush) TargetOf(TClient client) =>
        Trial.Scenario == "pipelining"
            ? (client, () => Task.CompletedTask)
            : throw new UnsupportedException($"{Trial.Client} has no {Trial.Scenario}");
}
