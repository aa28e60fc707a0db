package respmark.recorder;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.HistogramIterationValue;

/** Samples on the HdrHistogram scale with 3 significant digits, as in the contract. */
public final class Histogram {
    private static final int DIGITS = 3;

    private final org.HdrHistogram.Histogram counts = new org.HdrHistogram.Histogram(DIGITS);
    private long maxNs;

    /** Folds in the first `count` of the samples. */
    public void add(long[] samples, int count) {
        for (int i = 0; i < count; i++) {
            long sample = Math.max(samples[i], 0);
            counts.recordValue(sample);
            maxNs = Math.max(maxNs, sample);
        }
    }

    /** Folds in another histogram. */
    public void add(Histogram other) {
        counts.add(other.counts);
        maxNs = Math.max(maxNs, other.maxNs);
    }

    /** The sparse `[value_ns, count]` pairs, ascending. */
    public List<long[]> pairs() {
        List<long[]> pairs = new ArrayList<>();
        for (HistogramIterationValue value : counts.recordedValues()) {
            long lowest = counts.lowestEquivalentValue(value.getValueIteratedTo());
            pairs.add(new long[] {lowest, value.getCountAtValueIteratedTo()});
        }
        return pairs;
    }

    /** The largest sample, exact. */
    public long maxNs() {
        return maxNs;
    }
}
