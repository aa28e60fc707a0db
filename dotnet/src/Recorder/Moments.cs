using Respmark.Contract;

namespace Respmark.Recorder;

/// <summary>The moments of a slice: the clock, and the CPU time of this process.</summary>
internal static class Moments
{
    /// <summary>Where work begins: the clock is read before CPU.</summary>
    public static Moment Opening()
    {
        var now = Clock.Now;
        return At(now, Environment.CpuUsage);
    }

    /// <summary>Where work ends: CPU is read before the clock, so that reading it belongs to neither side's work.</summary>
    public static Moment Closing()
    {
        var cpu = Environment.CpuUsage;
        return At(Clock.Now, cpu);
    }

    private static Moment At(long now, Environment.ProcessCpuUsage cpu) =>
        new(now, Clock.Nanoseconds(cpu.UserTime), Clock.Nanoseconds(cpu.PrivilegedTime));
}
