using System.Diagnostics;

namespace Respmark;

/// <summary>The monotonic clock in nanoseconds; on Linux it is CLOCK_MONOTONIC, which all processes share.</summary>
internal static class Clock
{
    private static readonly long s_nanosecondsPerTick = 1_000_000_000 / Stopwatch.Frequency;

    public static long Now => Stopwatch.GetTimestamp() * s_nanosecondsPerTick;

    /// <summary>Opens a part of a slice: the clock, then the process's CPU time.</summary>
    public static long[] Opening()
    {
        var now = Now;
        return Moment(now, Environment.CpuUsage);
    }

    /// <summary>Closes a slice: CPU first, so that what is counted was used within the time counted.</summary>
    public static long[] Closing()
    {
        var cpu = Environment.CpuUsage;
        return Moment(Now, cpu);
    }

    private static long[] Moment(long now, Environment.ProcessCpuUsage cpu) =>
        [now, cpu.UserTime.Ticks * TimeSpan.NanosecondsPerTick, cpu.PrivilegedTime.Ticks * TimeSpan.NanosecondsPerTick];
}
