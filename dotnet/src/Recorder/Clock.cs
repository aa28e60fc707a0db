using System.Diagnostics;

namespace Respmark.Recorder;

/// <summary>The monotonic clock: the loops read its ticks, and everything else knows nanoseconds.</summary>
internal static class Clock
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Ticks; on Linux a tick is a nanosecond.</summary>
    public static long Now => Stopwatch.GetTimestamp();

    public static long Ticks(double seconds) => (long)Math.Round(seconds * Stopwatch.Frequency);

    public static long Nanoseconds(long ticks) => Stopwatch.Frequency == NanosecondsPerSecond
        ? ticks
        : (long)(ticks * ((double)NanosecondsPerSecond / Stopwatch.Frequency));

    public static long Nanoseconds(TimeSpan span) => span.Ticks * TimeSpan.NanosecondsPerTick;
}
