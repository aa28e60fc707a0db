using System.Diagnostics;
using System.Runtime;

namespace Respmark.Recorder;

/// <summary>Garbage collection and the just-in-time compiler at one moment.</summary>
internal sealed record Health(
    TimeSpan GcPause,
    int[] Collections,
    long AllocatedBytes,
    long JitMethods,
    TimeSpan JitTime)
{
    public static Health Now() => new(
        GC.GetTotalPauseDuration(),
        [.. Enumerable.Range(0, GC.MaxGeneration + 1).Select(GC.CollectionCount)],
        GC.GetTotalAllocatedBytes(),
        JitInfo.GetCompiledMethodCount(),
        JitInfo.GetCompilationTime());

    /// <summary>Peak resident set of this process; on Linux its VmHWM.</summary>
    public static long PeakMemoryBytes()
    {
        using var process = Process.GetCurrentProcess();
        return process.PeakWorkingSet64;
    }

    /// <summary>The contract's <c>runtime_health</c>. Collecting a generation collects the younger ones, too.</summary>
    public Dictionary<string, object> Since(Health earlier)
    {
        var health = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["gc_collections"] = Collections[0] - earlier.Collections[0],
            ["gc_pause_ns"] = Clock.Nanoseconds(GcPause - earlier.GcPause),
            ["allocated_bytes"] = AllocatedBytes - earlier.AllocatedBytes,
            ["jit_methods_count"] = JitMethods - earlier.JitMethods,
            ["jit_ns"] = Clock.Nanoseconds(JitTime - earlier.JitTime),
        };
        for (var generation = 0; generation < Collections.Length; generation++)
        {
            health[$"gc_generation_{generation}_collections_count"] =
                Collections[generation] - earlier.Collections[generation];
        }

        return health;
    }
}
