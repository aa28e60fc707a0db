namespace Respmark;

/// <summary>
/// The slices of a trial. Its walkers live from <c>connect</c> to the end, blocking ones on threads of their own, others
/// as flows on the thread pool; between slices they wait.
/// </summary>
internal sealed class Slices
{
    private readonly Loop[] _loops;
    private readonly Samples[] _samples;
    private readonly Errors _errors;
    private readonly Meeting _start;
    private readonly Meeting _ledIn;
    private readonly Meeting _end;
    private readonly Task _broken;

    private WorkOrder _order = new(0, 0, 0, Keep: false);
    private long _until;
    private long[] _started = [];
    private long[] _measuredFrom = [];
    private long[] _ended = [];
    private readonly int[] _leadIn;

    public Slices(Loop[] loops, Samples[] samples, Errors errors)
    {
        (_loops, _samples, _errors, _leadIn) = (loops, samples, errors, new int[loops.Length]);
        _start = new Meeting(loops.Length + 1, Start);
        _ledIn = new Meeting(loops.Length, Measure);
        _end = new Meeting(loops.Length, () => _ended = Clock.Closing());
        _broken = Task.WhenAny(Array.ConvertAll(loops, loop => loop is BlockingLoop blocking
            ? Task.Factory.StartNew(() => Work(blocking), default, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            : Task.Run(() => WorkAsync((AsyncLoop)loop)))).Unwrap();
    }

    /// <summary>Performs one slice.</summary>
    public Worked Run(WorkOrder order)
    {
        _order = order;
        Array.ForEach(_loops, loop => loop.Begin(order.First));
        var ended = _end.Next;
        _ = _start.Arrive();
        Task.WhenAny(ended, _broken).Unwrap().GetAwaiter().GetResult();
        var measured = Array.ConvertAll(_samples, samples => samples.End(order.Keep));
        var (errors, first) = _errors.Take();
        return new Worked(_started, _measuredFrom, _ended, _leadIn, measured, errors, first);
    }

    private void Work(BlockingLoop loop)
    {
        for (; ; )
        {
            _start.Arrive().Wait();
            if (_order.LeadInNs > 0)
            {
                loop.Run(_until);
            }

            _ledIn.Arrive().Wait();
            loop.Run(_until);
            _ = _end.Arrive();
        }
    }

    private async Task WorkAsync(AsyncLoop loop)
    {
        for (; ; )
        {
            await _start.Arrive().ConfigureAwait(false);
            if (_order.LeadInNs > 0)
            {
                await loop.RunAsync(_until).ConfigureAwait(false);
            }

            await _ledIn.Arrive().ConfigureAwait(false);
            await loop.RunAsync(_until).ConfigureAwait(false);
            _ = _end.Arrive();
        }
    }

    private void Start()
    {
        _started = Clock.Opening();
        _until = _started[0] + _order.LeadInNs;
    }

    /// <summary>Nothing is in flight any more: the measured part begins.</summary>
    private void Measure()
    {
        for (var walker = 0; walker < _samples.Length; walker++)
        {
            _leadIn[walker] = _samples[walker].End(keep: false);
        }

        _measuredFrom = Clock.Opening();
        _until = _measuredFrom[0] + _order.Ns;
    }
}
