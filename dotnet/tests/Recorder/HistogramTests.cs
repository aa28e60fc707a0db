using Respmark.Recorder;
using Respmark.Tests.Support;

namespace Respmark.Tests.Recorder;

public class HistogramTests
{
    [Fact]
    public void EveryGoldenValueFallsIntoItsBucket()
    {
        foreach (var pair in Golden.Json("histogram.json").GetProperty("buckets").EnumerateArray())
        {
            Assert.Equal(pair[1].GetInt64(), Histogram.Bucket(pair[0].GetInt64()));
        }
    }

    [Fact]
    public void TheGoldenSamplesFoldAsTheyShould()
    {
        var golden = Golden.Json("histogram.json");
        long[] samples = [.. golden.GetProperty("samples").EnumerateArray().Select(sample => sample.GetInt64())];
        var histogram = new Histogram();
        histogram.Add(samples);
        var folded = golden.GetProperty("histogram").EnumerateArray();
        Assert.Equal(folded.Select(pair => (pair[0].GetInt64(), pair[1].GetInt64())), histogram.Sparse());
        Assert.Equal(samples.Max(), histogram.Max);
    }

    [Fact]
    public void TheLargestNumberHasABucket() => Assert.True(Histogram.Bucket(long.MaxValue) > long.MaxValue / 2);
}
