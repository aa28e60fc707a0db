using System.Diagnostics;

namespace Respmark;

/// <summary>The monotonic clock, which all processes share; in nanoseconds.</summary>
internal static class Clock
{
    /// <summary>Whoever waits sleeps until so long before, unless told otherwise, and reads the clock from then on.</summary>
    public const long Margin = 20_000;

    private const int Monotonic = 1;
    private const int Absolute = 1;
    private const int Interrupted = 4;
    private const long Second = 1_000_000_000;

    public static long Now => Stopwatch.GetTimestamp() * (Second / Stopwatch.Frequency);

    /// <summary>Now, and the process's CPU time: user and system.</summary>
    public static long[] Moment()
    {
        var (now, cpu, tick) = (Now, Environment.CpuUsage, TimeSpan.NanosecondsPerTick);
        return [now, cpu.UserTime.Ticks * tick, cpu.PrivilegedTime.Ticks * tick];
    }

    /// <summary>
    /// Sleeps until a moment and reads the clock until another: <see cref="Thread.Sleep(int)"/> counts whole milliseconds.
    /// </summary>
    public static void WaitUntil(long waking, long moment)
    {
        if (waking > Now)
        {
            var time = new Time(waking / Second, waking % Second);
            while (Sleep(Monotonic, Absolute, in time, 0) == Interrupted)
            {
            }
        }

        while (Now < moment)
        {
        }
    }

    [DllImport("libc", EntryPoint = "clock_nanosleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Sleep(int clock, int flags, in Time until, nint left);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Time(long Seconds, long Nanoseconds);
}
