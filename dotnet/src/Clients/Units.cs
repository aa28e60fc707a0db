using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>
/// One unit of work: what one latency sample covers. It takes its commands from a walker, performs them whole, and reads
/// every reply into <see cref="Replies"/>.
/// </summary>
internal abstract class Unit(int commands)
{
    /// <summary>What the last unit's commands were answered, in their order.</summary>
    public object?[] Replies { get; } = new object?[commands];
}

/// <summary>A unit that blocks its thread until its last reply is read.</summary>
internal abstract class BlockingUnit(int commands) : Unit(commands)
{
    public abstract void Perform(Walker walker);
}

/// <summary>
/// A unit that is sent, waited for, and read. Where the library has a task for the whole, that is what is waited for:
/// the measured loop adds none.
/// </summary>
internal abstract class AsyncUnit(int commands) : Unit(commands)
{
    /// <summary>Sends the commands; the task ends when they are answered.</summary>
    public abstract Task Send(Walker walker);

    /// <summary>What is left to be waited for when they are answered, where the library has more than one task for it.</summary>
    public virtual Task Rest() => Task.CompletedTask;

    /// <summary>Reads the replies, which are there.</summary>
    public abstract void Read();
}

/// <summary>A command that is sent and answered by itself: a place in a window that slides.</summary>
internal abstract class PlaceUnit() : AsyncUnit(1)
{
    /// <summary>Sends the command of this number; the task ends when it is answered.</summary>
    public abstract Task Send(int index);

    public sealed override Task Send(Walker walker) => Send(walker.Next());
}

/// <summary>What one walker drives: a blocking unit, an asynchronous one, or the places of a window that slides.</summary>
internal sealed record Lane(BlockingUnit? Blocking, AsyncUnit? Asynchronous, PlaceUnit[] Window)
{
    /// <summary>Any unit of the lane; all are alike.</summary>
    public Unit First => (Unit?)Blocking ?? Asynchronous ?? Window[0];

    public static Lane Of(BlockingUnit unit) => new(unit, null, []);

    public static Lane Of(AsyncUnit unit) => new(null, unit, []);

    public static Lane Of(PlaceUnit[] window) => new(null, null, window);
}
