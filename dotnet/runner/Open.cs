using System.Runtime.CompilerServices;

namespace Respmark;

/// <summary>A part of a slice of an open loop: the units that are due in it, of all walkers of all processes.</summary>
/// <param name="Due">When each unit of the slice is due, in nanoseconds after <paramref name="At"/>.</param>
/// <param name="First">The first unit of the part; <paramref name="Last"/> comes after its last one.</param>
/// <param name="Ends">When the part ends, by the clock.</param>
/// <param name="Closes">When no unit starts any more.</param>
internal sealed record Part(double[] Due, int First, int Last, long At, long Ends, long Closes)
{
    /// <summary>Sleep counts whole milliseconds, and Linux wakes a thread about 60 us late.</summary>
    private const long Margin = 200_000;

    /// <summary>Reads the times of a slice: those of its lead-in, and those of its measured part.</summary>
    public static Part[] Of(Work slice, Arrivals order)
    {
        var due = MemoryMarshal.Cast<byte, double>(File.ReadAllBytes(order.File)).ToArray();
        var leadIn = due.Count(time => time < slice.LeadInNs);
        var (leads, ends) = (order.At + slice.LeadInNs, order.At + slice.LeadInNs + slice.Ns);
        return
        [
            new(due, 0, leadIn, order.At, leads, leads + order.DrainNs),
            new(due, leadIn, due.Length, order.At, ends, ends + order.DrainNs),
        ];
    }

    /// <summary>When a unit is due, by the clock.</summary>
    public long TimeOf(int unit) => At + (long)Due[unit];

    /// <summary>Sleeps, and then reads the clock, until it is so late.</summary>
    public static void Wait(long until)
    {
        Thread.Sleep((int)Math.Max(0, (until - Clock.Now - Margin) / 1_000_000));
        while (Clock.Now < until)
        {
            Thread.Yield();
        }
    }

    /// <summary>Starts what is due while a place is free, for walkers that do not block; to be run on a thread.</summary>
    /// <param name="walkers">Those of this process, of which the first has the number <paramref name="first"/>.</param>
    /// <param name="all">How many walkers all processes have.</param>
    public void Pace(Turns[] walkers, int first, int all)
    {
        for (var unit = First; unit < Last; unit++)
        {
            var index = (unit % all) - first;
            if ((uint)index < (uint)walkers.Length)
            {
                Wait(TimeOf(unit));
                walkers[index].Resume();
            }
        }

        Wait(Ends);
        Array.ForEach(walkers, walker => { while (walker.Resume()) { } });
    }
}

/// <summary>One walker's units of a part: its places take them in order, each when it is free and the unit is due.</summary>
/// <param name="number">The walker's, of so many <paramref name="walkers"/> of all processes.</param>
/// <param name="waits">Whether a place waits on its thread; else somebody resumes it.</param>
internal sealed class Turns(Part part, int number, int walkers, bool waits)
{
    private readonly Lock _taking = new();
    private readonly Stack<Turn> _free = [];
    private int _next = part.First + ((number - (part.First % walkers) + walkers) % walkers);

    public Part Part => part;

    /// <summary>Waits until the next unit is due, or until the part ends, if places do.</summary>
    public void Wait()
    {
        if (waits)
        {
            Part.Wait(_next < part.Last ? part.TimeOf(_next) : part.Ends);
        }
    }

    /// <summary>Whether a place need not wait: it has a unit that is due, or none is left that may start.</summary>
    /// <param name="go">What to do later if it must wait; null if that will be said.</param>
    public bool Take(Turn turn, Action? go)
    {
        lock (_taking)
        {
            var now = Clock.Now;
            var isOver = _next >= part.Last || now > part.Closes;
            if (isOver || part.TimeOf(_next) <= now)
            {
                turn.Begin(isOver ? Turn.None : _next, now);
                _next += walkers;
                return true;
            }

            if (go is not null)
            {
                turn.Go = go;
                _free.Push(turn);
            }

            return false;
        }
    }

    /// <summary>Lets a free place go on, if it need not wait any more; returns whether there was one.</summary>
    public bool Resume()
    {
        Turn? turn;
        lock (_taking)
        {
            if (!_free.TryPeek(out turn) || !Take(turn, go: null))
            {
                return false;
            }

            _ = _free.Pop();
        }

        turn.Go!();
        return true;
    }
}

/// <summary>What a place awaits before each unit: whether there is one, which is due.</summary>
internal sealed class Turn(Turns turns) : INotifyCompletion
{
    public const int None = -1;

    public int Unit { get; private set; }

    /// <summary>When it starts.</summary>
    public long Started { get; private set; }

    /// <summary>What goes on when the place is resumed.</summary>
    public Action? Go { get; set; }

    public bool IsCompleted
    {
        get
        {
            turns.Wait();
            return turns.Take(this, go: null);
        }
    }

    public double Due => turns.Part.Due[Unit];

    public long Lag => Started - turns.Part.TimeOf(Unit);

    public Turn GetAwaiter() => this;

    public bool GetResult() => Unit != None;

    public void Begin(int unit, long now) => (Unit, Started) = (unit, now);

    public void OnCompleted(Action continuation)
    {
        if (turns.Take(this, continuation))
        {
            continuation();
        }
    }
}
