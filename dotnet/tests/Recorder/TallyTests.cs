using Respmark.Recorder;

namespace Respmark.Tests.Recorder;

public class TallyTests
{
    private readonly Histogram _histogram = new();

    [Fact]
    public void SamplesThatAreToBeKeptAreFoldedAndOthersAreDropped()
    {
        var tally = new Tally(_histogram, 100);
        Part(tally, units: 30, sample: 1, keepSamples: false);
        Part(tally, units: 20, sample: 2, keepSamples: true);
        Part(tally, units: 30, sample: 3, keepSamples: false);
        Part(tally, units: 5, sample: 4, keepSamples: true);
        tally.Fold();
        Assert.Equal(85, tally.Units);
        Assert.Equal([(2, 20), (4, 5)], _histogram.Sparse());
    }

    [Fact]
    public void APartThatOutgrowsTheStorageLosesNoSample()
    {
        var tally = new Tally(_histogram, 100);
        Part(tally, units: 40, sample: 1, keepSamples: true);
        Part(tally, units: 1250, sample: 2, keepSamples: true);
        tally.Fold();
        Assert.Equal(1290, tally.Units);
        Assert.Equal([(1, 40), (2, 1250)], _histogram.Sparse());
    }

    [Fact]
    public void APartThatOutgrowsTheStorageKeepsNothingThatIsToBeDropped()
    {
        var tally = new Tally(_histogram, 100);
        Part(tally, units: 40, sample: 1, keepSamples: true);
        Part(tally, units: 1250, sample: 2, keepSamples: false);
        tally.Fold();
        Assert.Equal([(1, 40)], _histogram.Sparse());
    }

    [Fact]
    public void WhatIsMoreThanHalfFullAfterASliceIsFolded()
    {
        var tally = new Tally(_histogram, 100);
        Part(tally, units: 50, sample: 1, keepSamples: true);
        tally.FoldWhenHalfFull();
        Assert.Empty(_histogram.Sparse());
        Part(tally, units: 1, sample: 1, keepSamples: true);
        tally.FoldWhenHalfFull();
        Assert.Equal([(1, 51)], _histogram.Sparse());
        tally.Fold();
        Assert.Equal([(1, 51)], _histogram.Sparse());
    }

    [Fact]
    public void FoldingIsNoLatencyOfTheNextUnit()
    {
        var tally = new Tally(_histogram, 2);
        tally.Begin(keepSamples: true);
        Assert.Equal(7, tally.Add(1, now: 7));
        Assert.NotEqual(7, tally.Add(1, now: 7));
    }

    private static void Part(Tally tally, int units, long sample, bool keepSamples)
    {
        tally.Begin(keepSamples);
        for (var unit = 0; unit < units; unit++)
        {
            tally.Add(sample, Clock.Now);
        }

        tally.End();
    }
}
