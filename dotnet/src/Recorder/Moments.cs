using Respmark.Contract;

namespace Respmark.Recorder;

/// <summary>The moments of a slice: the clock, and the CPU time of this process.</summary>
internal static class Moments
{
    /// <summary>Opens a part of a slice: the clock is read before CPU.</summary>
    public static Moment Opening()
    {
        var now = Clock.Now;
        return At(now, Environment.CpuUsage);
    }

    /// <summary>
    /// Closes a slice: CPU is read before the clock, so the CPU counted was used within the time counted.
    /// </summary>
    public static Moment Closing()
    {
        var cpu = Environment.CpuUsage;
        return At(Clock.Now, cpu);
    }

    private static Moment At(long now, Environment.ProcessCpuUsage cpu) =>
        new(now, Clock.Nanoseconds(cpu.UserTime), Clock.Nanoseconds(cpu.PrivilegedTime));
}
