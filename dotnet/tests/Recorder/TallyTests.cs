using Respmark.Recorder;

namespace Respmark.Tests.Recorder;

public class TallyTests
{
    [Fact]
    public void AWindowThatOutgrowsTheStorageLosesNoSample()
    {
        var store = new SampleStore(4096);
        var tally = new Tally(store, 0, Opened(60));
        const int many = 5000;
        for (var unit = 1; unit <= many; unit++)
        {
            tally.Add(unit, Clock.Now);
        }

        tally.Fold();
        Assert.Equal(many, tally.Units);
        Assert.Equal(many, store.Histogram.Sparse().Sum(pair => pair.Count));
        Assert.Equal(Clock.Nanoseconds(many), store.Histogram.Max);
    }

    [Fact]
    public void TheFirstUnitAfterHalfTimeEndsTheFirstHalf()
    {
        var window = Opened(60);
        var tally = new Tally(new SampleStore(1), 0, window);
        Assert.Equal(window.Start, tally.Begin());
        tally.Add(1, window.Half);
        Assert.False(tally.Reached(window.Half + 5));
        Assert.Equal(window.End, tally.Checkpoint);
        tally.Add(1, window.End);
        Assert.True(tally.Reached(window.End));
        Assert.Equal((1, window.Half + 5), tally.Half);
        Assert.Equal(window.End, tally.Ended);
    }

    [Fact]
    public void AWalkerThatWaitedThroughTheSecondHalfCountsWithWhatItHadDone()
    {
        var window = Opened(60);
        var tally = new Tally(new SampleStore(1), 0, window);
        tally.Begin();
        tally.Add(1, window.Start);
        tally.Add(1, window.End);
        Assert.True(tally.Reached(window.End));
        Assert.Equal((1, null), tally.Half);
    }

    private static Window Opened(double seconds)
    {
        var window = new Window(seconds);
        window.Open();
        return window;
    }
}
