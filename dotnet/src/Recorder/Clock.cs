using System.Diagnostics;
using Respmark.Contract;

namespace Respmark.Recorder;

/// <summary>The monotonic clock in nanoseconds; on Linux CLOCK_MONOTONIC, which all processes share.</summary>
internal static class Clock
{
    private static readonly long s_nanosecondsPerTick = Nanoseconds(TimeSpan.FromSeconds(1)) / Stopwatch.Frequency;

    public static long Now => Stopwatch.GetTimestamp() * s_nanosecondsPerTick;

    /// <summary>Where work begins: the clock is read before CPU.</summary>
    public static Moment MomentBefore()
    {
        var now = Now;
        return At(now, Environment.CpuUsage);
    }

    /// <summary>Where work ends: CPU is read before the clock, so that reading it belongs to neither side's work.</summary>
    public static Moment MomentAfter()
    {
        var cpu = Environment.CpuUsage;
        return At(Now, cpu);
    }

    public static long Nanoseconds(TimeSpan span) => span.Ticks * TimeSpan.NanosecondsPerTick;

    private static Moment At(long now, Environment.ProcessCpuUsage cpu) =>
        new(now, Nanoseconds(cpu.UserTime), Nanoseconds(cpu.PrivilegedTime));
}
