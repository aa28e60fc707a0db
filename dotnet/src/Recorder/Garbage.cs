namespace Respmark.Recorder;

/// <summary>Garbage of what is made before the first slice.</summary>
internal static class Garbage
{
    /// <summary>
    /// Collects it, and lets the collector put the workload's own objects where no young collection walks through them: each
    /// collection moves what survives one generation on.
    /// </summary>
    public static void SetAside()
    {
        for (var generation = 0; generation < GC.MaxGeneration; generation++)
        {
            GC.Collect();
        }
    }
}
