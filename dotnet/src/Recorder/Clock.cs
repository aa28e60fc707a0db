using System.Diagnostics;

namespace Respmark.Recorder;

/// <summary>The monotonic clock in nanoseconds; on Linux it is CLOCK_MONOTONIC, which all processes share.</summary>
internal static class Clock
{
    private static readonly long s_nanosecondsPerTick = Nanoseconds(TimeSpan.FromSeconds(1)) / Stopwatch.Frequency;

    public static long Now => Stopwatch.GetTimestamp() * s_nanosecondsPerTick;

    public static long Nanoseconds(TimeSpan span) => span.Ticks * TimeSpan.NanosecondsPerTick;
}
