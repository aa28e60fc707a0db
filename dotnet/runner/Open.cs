using System.Runtime.CompilerServices;

namespace Respmark;

/// <summary>A part of a slice of an open loop: the units that are due in it, of all walkers.</summary>
/// <param name="Due">When each unit of the slice is due, in nanoseconds after <paramref name="At"/>.</param>
/// <param name="First">The first unit of the part; <paramref name="Last"/> comes after its last one.</param>
/// <param name="Ends">When the part ends, by the clock.</param>
/// <param name="Closes">When no unit starts any more.</param>
/// <param name="Awake">How long before a unit is due whoever waits for it reads the clock, if no other one does.</param>
internal sealed record Part(long[] Due, int First, int Last, long At, long Ends, long Closes, long Awake)
{
    /// <summary>Reads the times of a slice: those of its lead-in, and those of its measured part.</summary>
    public static Part[] Of(Work slice, Arrivals order)
    {
        var due = DueOf(order.File);
        var awake = order.AwakeNs ?? Clock.Margin;
        var (leads, ends) = (order.At + slice.LeadInNs, order.At + slice.LeadInNs + slice.Ns);
        return
        [
            new(due, 0, order.LeadIn, order.At, leads, leads + order.DrainNs, awake),
            new(due, order.LeadIn, due.Length, order.At, ends, ends + order.DrainNs, awake),
        ];
    }

    /// <summary>Reads when the units of this process are due.</summary>
    public static long[] DueOf(string file) => MemoryMarshal.Cast<byte, long>(File.ReadAllBytes(file)).ToArray();

    /// <summary>When a unit is due, by the clock. Beyond the last one, the end.</summary>
    public long TimeOf(int unit) => unit < Last ? At + Due[unit] : Ends;

    /// <summary>
    /// Until when whoever waits for a unit sleeps: not before the unit before it is due, so that one thread of the process
    /// at the most reads the clock.
    /// </summary>
    public long WakesAt(int unit) => Math.Max(TimeOf(unit) - Awake, unit == 0 ? long.MinValue : TimeOf(unit - 1));
}

/// <summary>The units of a part, which are one queue: whichever walker is idle takes the next.</summary>
internal sealed class Arrived(Part part)
{
    private int _next = part.First;

    /// <summary>Takes the next unit and waits until it is due; returns whether there was one that may still start.</summary>
    public bool Take(Turn turn)
    {
        var unit = Interlocked.Increment(ref _next) - 1;
        Clock.WaitUntil(part.WakesAt(unit), part.TimeOf(unit));
        var now = Clock.Now;
        if (unit >= part.Last || now > part.Closes)
        {
            return false;
        }

        turn.Begin(part.Due[unit], now, now - part.TimeOf(unit));
        return true;
    }
}

/// <summary>What is known of a unit before it starts; a flow awaits it, and then whether there is a unit.</summary>
/// <param name="window">Where the flow's place waits; null if a thread waits in its stead.</param>
internal sealed class Turn(Window? window) : INotifyCompletion
{
    private Action? _go;
    private bool _isOver;

    /// <summary>When it was due, in nanoseconds after the slice's beginning.</summary>
    public double Due { get; private set; }

    /// <summary>When it starts, by the clock.</summary>
    public long Started { get; private set; }

    /// <summary>How much later that is than it was due.</summary>
    public long Lag { get; private set; }

    /// <summary>Never: what begins a unit is the thread that waits for its time.</summary>
    public bool IsCompleted => false;

    public Turn GetAwaiter() => this;

    public bool GetResult() => !_isOver;

    public void OnCompleted(Action continuation)
    {
        _go = continuation;
        window!.Free(this);
    }

    public void Begin(double due, long now, long lag) => (Due, Started, Lag) = (due, now, lag);

    /// <summary>Lets the flow go on, with a unit or without.</summary>
    public void Go(bool isOver)
    {
        _isOver = isOver;
        _go!();
    }
}

/// <summary>Places of which each is free or has a unit in flight. One thread waits for units, and begins them.</summary>
internal sealed class Window(int places)
{
    private readonly Stack<Turn> _free = new(places);

    /// <summary>A place has nothing in flight.</summary>
    public void Free(Turn turn)
    {
        lock (_free)
        {
            _free.Push(turn);
            Monitor.Pulse(_free);
        }
    }

    /// <summary>Begins units until none is left; returns when nothing is in flight any more.</summary>
    public void Begin(Arrived arrived)
    {
        var turn = Next();
        while (arrived.Take(turn))
        {
            turn.Go(isOver: false);
            turn = Next();
        }

        turn.Go(isOver: true);
        for (var place = 1; place < places; place++)
        {
            Next().Go(isOver: true);
        }
    }

    private Turn Next()
    {
        lock (_free)
        {
            while (_free.Count == 0)
            {
                Monitor.Wait(_free);
            }

            return _free.Pop();
        }
    }
}
