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
/// <param name="isBlocking">Whether units block the thread that performs them.</param>
/// <param name="thread">Where units that block are performed, and those of an open loop are begun; else null.</param>
internal sealed class Loop(Walker walker, Unit[] places, bool isBlocking, OwnThread? thread) : IDisposable
{
    public void Dispose() => thread?.Dispose();

    /// <summary>Performs a part of a slice, completes what is in flight at its end, and counts it.</summary>
    public Task RunAsync(long until, Errors errors) => isBlocking
        ? thread!.Run(() => RunAsync(places[0], until, errors).Wait())
        : Task.WhenAll(Array.ConvertAll(places, place => RunAsync(place, until, errors)));

    /// <summary>The same, of an open loop.</summary>
    public Task RunAsync(Arrived arrived, Errors errors)
    {
        if (isBlocking)
        {
            return thread!.Run(() => Perform(places[0], arrived, errors));
        }

        var window = new Window(places.Length);
        var flows = Array.ConvertAll(places, place => RunAsync(place, new Turn(window), errors));
        return Task.WhenAll([thread!.Run(() => window.Begin(arrived)), .. flows]);
    }

    /// <summary>
    /// Performs what is due from a command on. Units that block do so on a thread that keeps nobody from ending the
    /// process: it may hang.
    /// </summary>
    public Task KeepGoingAsync(KeepGoing work, int number, int first)
    {
        walker.Begin(first);
        return isBlocking
            ? Task.Factory.StartNew(
                () => work.PerformAsync(places[0], number, Sleep).Wait(),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default)
            : Task.Run(() => work.PerformAsync(places[0], number, Delay));

        static Task Sleep(long ns)
        {
            Clock.WaitUntil(Clock.Now + ns, 0);
            return Task.CompletedTask;
        }

        static Task Delay(long ns) => Task.Delay((int)Math.Ceiling(ns / 1e6));
    }

    /// <summary>Performs units and shows the replies.</summary>
    public async Task<JsonArray> EchoAsync(Echo order)
    {
        var replies = new Replies();
        walker.Begin(order.First);
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
    private void Perform(Unit unit, Arrived arrived, Errors errors)
    {
        var turn = new Turn(null);
        while (arrived.Take(turn))
        {
            try
            {
                unit.Send(null).GetAwaiter().GetResult();
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

    /// <summary>The same of units that are awaited: they begin where their turn does, and end where the library says.</summary>
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
        Interlocked.CompareExchange(ref _first, TextOf(error), null);
    }

    public static string TextOf(Exception error) => error.Message[..Math.Min(error.Message.Length, LongestText)];
}

/// <summary>A thread that waits between slices, to the trial's end. What awaits its work goes on there.</summary>
internal sealed class OwnThread : IDisposable
{
    private readonly BlockingCollection<Task> _work = [];
    private readonly Thread _thread;
    private static int s_count;

    /// <summary>How many have not ended.</summary>
    public static int Count => s_count;

    public OwnThread()
    {
        Interlocked.Increment(ref s_count);
        _thread = new Thread(Work) { IsBackground = true };
        _thread.Start();
    }

    public Task Run(Action work)
    {
        var task = new Task(work);
        _work.Add(task);
        return task;
    }

    /// <summary>Returns when the thread has ended.</summary>
    public void Dispose()
    {
        _work.CompleteAdding();
        _thread.Join();
        Interlocked.Decrement(ref s_count);
        _work.Dispose();
    }

    private void Work()
    {
        foreach (var task in _work.GetConsumingEnumerable())
        {
            task.RunSynchronously(TaskScheduler.Default);
        }
    }
}
