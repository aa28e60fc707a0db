namespace Respmark.Recorder;

/// <summary>Garbage from before the first slice.</summary>
internal static class Garbage
{
    /// <summary>
    /// Collects it, and moves the workload's objects to the old generation, where collections of younger ones do not
    /// walk through them: each collection promotes what survives by one generation.
    /// </summary>
    public static void SetAside()
    {
        for (var generation = 0; generation < GC.MaxGeneration; generation++)
        {
            GC.Collect();
        }
    }
}
