using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>
/// One unit of work: what one latency sample covers. It takes its commands from a walker, performs them all, and reads
/// every reply into <see cref="Replies"/>.
/// </summary>
internal abstract class Unit(int commands)
{
    /// <summary>The replies to the last unit's commands, in their order.</summary>
    public object?[] Replies { get; } = new object?[commands];
}

/// <summary>A unit that blocks its thread until its last reply is read.</summary>
internal abstract class BlockingUnit(int commands) : Unit(commands)
{
    public abstract void Perform(Walker walker);
}

/// <summary>
/// A unit that is sent, awaited and read. If the library has a task for the whole unit, that task is awaited: the
/// measured loop adds none.
/// </summary>
internal abstract class AsyncUnit(int commands) : Unit(commands)
{
    /// <summary>Sends the commands; the task ends when they are answered.</summary>
    public abstract Task Send(Walker walker);

    /// <summary>What remains to be awaited after that, if the library has more than one task for the unit.</summary>
    public virtual Task Rest() => Task.CompletedTask;

    /// <summary>Reads the replies, which have all arrived.</summary>
    public abstract void Read();
}

/// <summary>A command that is sent and answered separately: a place in a sliding window.</summary>
internal abstract class PlaceUnit() : AsyncUnit(1)
{
    /// <summary>Sends the command with this index; the task ends when it is answered.</summary>
    public abstract Task Send(int index);

    public sealed override Task Send(Walker walker) => Send(walker.Next());
}

/// <summary>What one walker drives: a blocking unit, an asynchronous one, or the places of a sliding window.</summary>
internal sealed record Lane(BlockingUnit? Blocking, AsyncUnit? Asynchronous, PlaceUnit[] Window)
{
    /// <summary>Any unit of the lane; all are alike.</summary>
    public Unit First => (Unit?)Blocking ?? Asynchronous ?? Window[0];

    public static Lane Of(BlockingUnit unit) => new(unit, null, []);

    public static Lane Of(AsyncUnit unit) => new(null, unit, []);

    public static Lane Of(PlaceUnit[] window) => new(null, null, window);
}
