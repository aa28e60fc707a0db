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

    [Fact]
    public void LatenciesAreHandedOverBySliceAndOnlyOnce()
    {
        Walker[] walkers = [.. Enumerable.Range(0, 2).Select(_ => new Walker(5, capacity: 10, isShared: false))];
        Slice([1, 2], [3], keep: true);
        Slice([9], [9], keep: false);
        Slice([4], [5, 6], keep: true);
        var samples = Walker.HandOver(walkers);
        Assert.Equal([1, 2, 3, 4, 5, 6], Latencies(samples));
        Assert.Equal([3, 3], samples.Counts);
        Assert.Equal(0, samples.Dropped);
        Assert.Empty(Walker.HandOver(walkers).Counts);
        Slice([7], [8], keep: true);
        Assert.Equal([7, 8], Latencies(Walker.HandOver(walkers)));

        void Slice(long[] first, long[] second, bool keep)
        {
            Array.ForEach(first, walkers[0].Add);
            Array.ForEach(second, walkers[1].Add);
            Assert.Equal([first.Length, second.Length], walkers.Select(walker => walker.End(keep)));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatHasNoRoomIsCounted(bool isShared)
    {
        var walker = new Walker(5, capacity: 3, isShared);
        for (var slice = 0; slice < 3; slice++)
        {
            walker.Add(1);
            walker.Add(2);
            Assert.Equal(2, walker.End(keep: true));
        }

        var samples = Walker.HandOver([walker]);
        Assert.Equal([1, 2, 1], Latencies(samples));
        Assert.Equal([2, 1, 0], samples.Counts);
        Assert.Equal(3, samples.Dropped);
    }

    private static double[] Latencies(Samples samples) => MemoryMarshal.Cast<byte, double>(samples.Latencies).ToArray();

    private static Walker Begun(Walker walker, int first)
    {
        walker.Begin(first);
        return walker;
    }
}
