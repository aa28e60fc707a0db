using System.Runtime;

namespace Respmark;

/// <summary>This machine or this server cannot do what the trial asks for.</summary>
internal sealed class UnsupportedException(string reason) : Exception(reason);

/// <summary>One trial, from its line to the next one's, or to the end of input.</summary>
internal sealed class Session
{
    private readonly Trial _trial;
    private readonly Adapter _adapter;
    private readonly Walker[] _walkers;
    private Loop[] _loops = [];
    private KeepGoing? _going;

    /// <summary>Makes everything that the trial needs, except its connections.</summary>
    public Session(Trial trial, Adapter adapter)
    {
        // The options that every library of .NET has; the collector's kind is settled when a process starts.
        if (trial.Has("server-gc", "True") != GCSettings.IsServerGC)
        {
            throw new UnsupportedException("the runtime has the other garbage collector than DOTNET_gcServer asks for");
        }

        var threads = trial.Options.GetValueOrDefault("thread-pool-minimum") is { ValueKind: JsonValueKind.Number } given
            ? given.GetInt32()
            : Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, threads);
        (_trial, _adapter) = (trial, adapter);
        _walkers = Walker.Of(trial, adapter.Prepare(new Workload(trial.Workload)));
        // Each collection promotes what survives by one generation, so that later ones need not walk through it.
        GC.Collect();
        GC.Collect();
    }

    public Loaded Loaded => new(4, _adapter.Versions, _adapter.Settings);

    public async Task<Answer> AnswerAsync(Order order)
    {
        switch (order)
        {
            case { Connect: not null }:
                _loops = _adapter.Connect(_walkers);
                return new Answer(Connected: []);
            case { Echo: { } echo }:
                return new Answer(Replies: await _loops[0].EchoAsync(echo).ConfigureAwait(false));
            case { Work: { } work }:
                return new Answer(Worked: await WorkAsync(work).ConfigureAwait(false));
            case { Bare: { } bare }:
                return new Answer(Bared: await _loops[0].BareAsync(bare).ConfigureAwait(false));
            case { KeepGoing: { } goOn }:
                _going = new KeepGoing(goOn);
                _going.Perform(_loops);
                return new Answer(Went: []);
            default:
                return new Answer(Samples: Walker.HandOver(_walkers, _trial.Open));
        }
    }

    public void Close()
    {
        Array.ForEach(_loops, loop => loop.Dispose());
        if (_going is { } going)
        {
            going.Close(_adapter.Close);
        }
        else
        {
            _adapter.Close();
        }
    }

    /// <summary>The walker that ends a part last notes the moment: what follows an await runs on its thread.</summary>
    private async Task<Worked> WorkAsync(Work order)
    {
        var errors = new Errors();
        Part?[] open = order.Arrivals is { } arrivals ? Part.Of(order, arrivals) : new Part?[2];
        for (var number = 0; number < _walkers.Length; number++)
        {
            _walkers[number].Begin(order.First[number]);
        }

        var started = Clock.Moment();
        await PartAsync(open[0], started, order.LeadInNs, errors).ConfigureAwait(false);
        var leadIn = Array.ConvertAll(_walkers, walker => walker.End(keep: false));
        var measuredFrom = Clock.Moment();
        await PartAsync(open[1], measuredFrom, order.Ns, errors).ConfigureAwait(false);
        var ended = Clock.Moment();
        var measured = Array.ConvertAll(_walkers, walker => walker.End(order.Keep));
        return new Worked(started, measuredFrom, ended, leadIn, measured, errors.Counts, errors.First);
    }

    private Task PartAsync(Part? open, long[] from, long ns, Errors errors) => (open, ns) switch
    {
        (not null, _) => OpenAsync(new Arrived(open), errors),
        (_, 0) => Task.CompletedTask,
        _ => Task.WhenAll(Array.ConvertAll(_loops, loop => loop.RunAsync(from[0] + ns, errors))),
    };

    private Task OpenAsync(Arrived arrived, Errors errors) =>
        Task.WhenAll(Array.ConvertAll(_loops, loop => loop.RunAsync(arrived, errors)));
}
