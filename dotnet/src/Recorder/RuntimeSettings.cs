using System.Runtime;

namespace Respmark.Recorder;

/// <summary>What a reader must know about the runtime: garbage collector, just-in-time compiler, thread pool.</summary>
internal static class RuntimeSettings
{
    public static Dictionary<string, object> Now()
    {
        ThreadPool.GetMinThreads(out var workers, out var ports);
        ThreadPool.GetMaxThreads(out var mostWorkers, out var mostPorts);
        return new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["clock"] = "Stopwatch.GetTimestamp",
            ["gc"] = GCSettings.IsServerGC ? "server" : "workstation",
            ["gc_concurrent"] = Switch("System.GC.Concurrent", "gcConcurrent", fallback: true),
            ["gc_latency_mode"] = GCSettings.LatencyMode.ToString(),
            ["gc_heap_limit_bytes"] = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            ["tiered_compilation"] = Switch("System.Runtime.TieredCompilation", "TieredCompilation", fallback: true),
            ["tiered_pgo"] = Switch("System.Runtime.TieredPGO", "TieredPGO", fallback: true),
            ["ready_to_run"] = Switch(null, "ReadyToRun", fallback: true),
            ["thread_pool_minimum_workers"] = workers,
            ["thread_pool_minimum_completion_ports"] = ports,
            ["thread_pool_maximum_workers"] = mostWorkers,
            ["thread_pool_maximum_completion_ports"] = mostPorts,
            ["processors"] = Environment.ProcessorCount,
        };
    }

    /// <summary>An environment variable overrides the program's own configuration.</summary>
    private static bool Switch(string? name, string variable, bool fallback)
    {
        var value = Environment.GetEnvironmentVariable($"DOTNET_{variable}");
        if (!string.IsNullOrEmpty(value))
        {
            return value != "0";
        }

        return name is not null && AppContext.TryGetSwitch(name, out var isOn) ? isOn : fallback;
    }
}
