using System.Runtime;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Respmark;

/// <summary>One trial, from its line to the end of input.</summary>
internal sealed class Session
{
    private readonly Adapter _adapter;
    private readonly Walker[] _walkers;
    private readonly Samples[] _samples;
    private Loop[] _loops = [];
    private Slices? _slices;

    /// <summary>Loads the library and makes everything that the trial needs, except its connections.</summary>
    public Session(Trial trial)
    {
        Configure(trial.Options);
        _adapter = Adapter.Of(trial);
        var commands = _adapter.Prepare(new Workload(File.ReadAllBytes(trial.Workload)));
        _walkers = Walker.Of(trial, commands);
        _samples = Array.ConvertAll(_walkers, _ => new Samples(trial.Samples / _walkers.Length));
        Loaded = new Loaded(3, Versions(trial), Settings());
        // Each collection promotes what survives by one generation, so later ones need not walk through the workload.
        for (var generation = 0; generation < GC.MaxGeneration; generation++)
        {
            GC.Collect();
        }
    }

    public Loaded Loaded { get; }

    public Connected Connect()
    {
        var errors = new Errors();
        _adapter.Connect();
        _loops = [.. _walkers.Select((walker, number) => _adapter.LoopOf(number, walker, _samples[number], errors))];
        _slices = new Slices(_loops, _samples, errors);
        return new Connected();
    }

    public JsonArray Echo(EchoOrder order)
    {
        var replies = new Replies();
        _loops[0].Begin(0);
        while (replies.Json.Count < order.Commands && replies.Bytes < order.Bytes)
        {
            _loops[0].EchoAsync(replies).GetAwaiter().GetResult();
        }

        return replies.Json;
    }

    public Worked Work(WorkOrder order) => _slices!.Run(order);

    public Bared Bare(BareOrder order) => _adapter.Bare(order);

    public Handed HandOver() => Samples.HandOver(_samples);

    public void Close() => _adapter.Close();

    /// <summary>The options that every library of .NET has; the collector's kind is settled when a process starts.</summary>
    private static void Configure(IReadOnlyDictionary<string, JsonElement> options)
    {
        if (options.TryGetValue("server-gc", out var server) && server.GetBoolean() != GCSettings.IsServerGC)
        {
            throw new UnsupportedException(
                "the runtime has the other garbage collector: DOTNET_gcServer chooses one, and more than one processor");
        }

        if (options.TryGetValue("thread-pool-minimum", out var threads) && threads.ValueKind == JsonValueKind.Number)
        {
            ThreadPool.SetMinThreads(threads.GetInt32(), threads.GetInt32());
        }
    }

    private Dictionary<string, string> Versions(Trial trial) => new(StringComparer.Ordinal)
    {
        [trial.Client] = _adapter.Version,
        [".NET"] = Environment.Version.ToString(),
    };

    private JsonObject Settings()
    {
        ThreadPool.GetMinThreads(out var threads, out _);
        var settings = _adapter.Settings;
        settings["garbage_collector"] = GCSettings.IsServerGC ? "server" : "workstation";
        settings["thread_pool_minimum"] = threads;
        settings["processors"] = Environment.ProcessorCount;
        return settings;
    }
}
