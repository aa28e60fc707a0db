using Respmark.Recorder;

namespace Respmark.Tests.Recorder;

public class ClockTests
{
    [Fact]
    public void AMomentHasTheClockInNanosecondsAndCpuSinceTheStart()
    {
        var before = Environment.CpuUsage;
        var from = Clock.Now;
        var moments = new[] { Moments.Opening(), Moments.Closing() };
        Assert.InRange(moments[0].AtNs, from, moments[1].AtNs);
        Assert.InRange(moments[1].AtNs, moments[0].AtNs, Clock.Now);
        Assert.All(moments, moment => Assert.InRange(
            moment.CpuUserNs + moment.CpuSystemNs,
            Clock.Nanoseconds(before.TotalTime),
            Clock.Nanoseconds(Environment.CpuUsage.TotalTime)));
        Assert.Equal(1_000_000_000, Clock.Nanoseconds(TimeSpan.FromSeconds(1)));
    }
}
