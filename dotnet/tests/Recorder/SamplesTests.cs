using Respmark.Recorder;

namespace Respmark.Tests.Recorder;

public class SamplesTests
{
    private readonly Histogram _histogram = new();

    [Fact]
    public void SamplesThatAreToBeKeptAreFoldedAndOthersAreDropped()
    {
        var samples = new Samples(_histogram, 100);
        Part(samples, units: 30, sample: 1, keepSamples: false);
        Part(samples, units: 20, sample: 2, keepSamples: true);
        Part(samples, units: 30, sample: 3, keepSamples: false);
        Part(samples, units: 5, sample: 4, keepSamples: true);
        samples.Fold();
        Assert.Equal(85, samples.Units);
        Assert.Equal([(2, 20), (4, 5)], _histogram.Sparse());
    }

    [Fact]
    public void APartThatOutgrowsTheStorageLosesNoSample()
    {
        var samples = new Samples(_histogram, 100);
        Part(samples, units: 40, sample: 1, keepSamples: true);
        Part(samples, units: 1250, sample: 2, keepSamples: true);
        samples.Fold();
        Assert.Equal(1290, samples.Units);
        Assert.Equal([(1, 40), (2, 1250)], _histogram.Sparse());
    }

    [Fact]
    public void APartThatOutgrowsTheStorageKeepsNothingThatIsToBeDropped()
    {
        var samples = new Samples(_histogram, 100);
        Part(samples, units: 40, sample: 1, keepSamples: true);
        Part(samples, units: 1250, sample: 2, keepSamples: false);
        samples.Fold();
        Assert.Equal([(1, 40)], _histogram.Sparse());
    }

    [Fact]
    public void WhatIsMoreThanHalfFullAfterASliceIsFolded()
    {
        var samples = new Samples(_histogram, 100);
        Part(samples, units: 50, sample: 1, keepSamples: true);
        samples.FoldWhenHalfFull();
        Assert.Empty(_histogram.Sparse());
        Part(samples, units: 1, sample: 1, keepSamples: true);
        samples.FoldWhenHalfFull();
        Assert.Equal([(1, 51)], _histogram.Sparse());
        samples.Fold();
        Assert.Equal([(1, 51)], _histogram.Sparse());
    }

    [Fact]
    public void FoldingIsNoLatencyOfTheNextUnit()
    {
        var samples = new Samples(_histogram, 2);
        samples.Begin(keepSamples: true);
        Assert.Equal(7, samples.Add(1, now: 7));
        Assert.NotEqual(7, samples.Add(1, now: 7));
    }

    private static void Part(Samples samples, int units, long sample, bool keepSamples)
    {
        samples.Begin(keepSamples);
        for (var unit = 0; unit < units; unit++)
        {
            samples.Add(sample, Clock.Now);
        }

        samples.End();
    }
}
