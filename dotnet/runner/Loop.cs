using System.Collections.Concurrent;

namespace Respmark;

/// <summary>What one latency covers. Where the library has a task for it, that task is awaited, and no other.</summary>
internal abstract class Unit
{
    /// <summary>Performs the next commands; those that are awaited are read afterwards.</summary>
    /// <param name="shown">Takes the replies; null in the measured loop, where they are decoded and dropped.</param>
    public abstract Task Send(Replies? shown);

    public virtual void Read(Replies? shown) { }
}

/// <summary>One walker's loop: everything in it is charged to the client.</summary>
/// <param name="places">
/// As many units as are in flight at once: one, or the places of a sliding window, of which each sends its next command
/// where the completion of its last is observed, on whichever thread that is.
/// </param>
/// <param name="thread">Where units that block are performed; null if they do not.</param>
internal sealed class Loop(Walker walker, Unit[] places, OwnThread? thread)
{
    public bool IsBlocking => thread is not null;

    /// <summary>Performs a part of a slice, completes what is in flight at its end, and counts it.</summary>
    public Task RunAsync(long until, Errors errors) => thread is null
        ? Task.WhenAll(Array.ConvertAll(places, place => RunAsync(place, until, errors)))
        : thread.Run(() => RunAsync(places[0], until, errors).Wait());

    /// <summary>The same, of an open loop.</summary>
    public Task RunAsync(Turns turns, Errors errors) => thread is null
        ? Task.WhenAll(Array.ConvertAll(places, place => RunAsync(place, new Turn(turns), errors)))
        : thread.Run(() => RunAsync(places[0], new Turn(turns), errors).Wait());

    /// <summary>Performs units and shows the replies.</summary>
    public async Task<JsonArray> EchoAsync(Echo order)
    {
        var replies = new Replies();
        walker.Begin(0);
        while (replies.Json.Count < order.Commands && replies.Bytes < order.Bytes)
        {
            await places[0].Send(replies).ConfigureAwait(false);
            places[0].Read(replies);
        }

        return replies.Json;
    }

    /// <summary>The loop that a user would write: without samples, errors, lead-in or a thread of its own.</summary>
    public async Task<Bared> BareAsync(Bare order)
    {
        walker.Begin(order.First);
        var (units, started) = (0L, Clock.Moment());
        do
        {
            await places[0].Send(null).ConfigureAwait(false);
            places[0].Read(null);
            units++;
        }
        while (Clock.Now < started[0] + order.Ns);
        return new Bared(units, started, Clock.Moment());
    }

    /// <summary>One clock reading ends a unit, starts the next and decides whether there is one.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises is counted by its class")]
    private async Task RunAsync(Unit unit, long until, Errors errors)
    {
        var then = Clock.Now;
        do
        {
            try
            {
                await unit.Send(null).ConfigureAwait(false);
                unit.Read(null);
                var now = Clock.Now;
                walker.Add(now - then);
                then = now;
            }
            catch (Exception error)
            {
                errors.Add(error);
                then = Clock.Now;
            }
        }
        while (then < until);
    }

    /// <summary>The open loop: each unit when it is due, or at once if it is late.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises is counted by its class")]
    private async Task RunAsync(Unit unit, Turn turn, Errors errors)
    {
        while (await turn)
        {
            try
            {
                await unit.Send(null).ConfigureAwait(false);
                unit.Read(null);
                walker.Add(Clock.Now - turn.Started, turn, failed: false);
            }
            catch (Exception error)
            {
                walker.Add(turn.Started - Clock.Now, turn, failed: true);
                errors.Add(error);
            }
        }
    }
}

/// <summary>A slice's failed units by the library's class, and the first one's text.</summary>
internal sealed class Errors
{
    private const int LongestText = 500;

    private string? _first;

    public ConcurrentDictionary<string, long> Counts { get; } = [];

    public string? First => _first;

    public void Add(Exception error)
    {
        Counts.AddOrUpdate(error.GetType().Name, 1, (_, count) => count + 1);
        Interlocked.CompareExchange(ref _first, error.Message[..Math.Min(error.Message.Length, LongestText)], null);
    }
}

/// <summary>A thread that lives to the end, and waits between slices. What awaits its work goes on there.</summary>
internal sealed class OwnThread
{
    private readonly BlockingCollection<Task> _work = [];

    public OwnThread() => new Thread(Work) { IsBackground = true }.Start();

    public Task Run(Action work)
    {
        var task = new Task(work);
        _work.Add(task);
        return task;
    }

    private void Work()
    {
        foreach (var task in _work.GetConsumingEnumerable())
        {
            task.RunSynchronously(TaskScheduler.Default);
        }
    }
}
