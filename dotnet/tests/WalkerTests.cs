using System.Runtime.InteropServices;

namespace Respmark.Tests;

public class WalkerTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AWalkerTakesOneCommandAfterAnotherCyclically(bool isShared)
    {
        var walker = Begun(new Walker(5, capacity: 1, isShared), 3);
        Assert.Equal([3, 4, 0, 1, 2, 3], Enumerable.Range(0, 6).Select(_ => walker.Next()));
    }

    [Fact]
    public void PlacesThatShareAWalkerTakeEachCommandOnceAndLoseNoLatency()
    {
        var walker = Begun(new Walker(1_000_000, capacity: 1_000_000, isShared: true), 0);
        var taken = new int[1_000_000];
        Parallel.For(0, 8, _ =>
        {
            for (var command = 0; command < taken.Length / 8; command++)
            {
                taken[walker.Next()]++;
                walker.Add(7);
            }
        });
        Assert.All(taken, times => Assert.Equal(1, times));
        Assert.Equal(taken.Length, walker.End(keep: true));
        Assert.All(Latencies(Walker.HandOver([walker])), latency => Assert.Equal(7, latency));
    }

    private static double[] Latencies(Samples samples) => MemoryMarshal.Cast<byte, double>(samples.Latencies).ToArray();

    private static Walker Begun(Walker walker, int first)
    {
        walker.Begin(first);
        return walker;
    }
}
