using System.Diagnostics;

namespace Respmark;

/// <summary>The monotonic clock, which all processes share; in nanoseconds.</summary>
internal static class Clock
{
    public static long Now => Stopwatch.GetTimestamp() * (1_000_000_000 / Stopwatch.Frequency);

    /// <summary>Now, and the process's CPU time: user and system.</summary>
    public static long[] Moment()
    {
        var (now, cpu, tick) = (Now, Environment.CpuUsage, TimeSpan.NanosecondsPerTick);
        return [now, cpu.UserTime.Ticks * tick, cpu.PrivilegedTime.Ticks * tick];
    }
}
