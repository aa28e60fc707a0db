package respmark.recorder;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import respmark.contract.Limits;

/** What one walker has done: units and failures of a slice, and the samples of all slices that are kept. */
public final class Tally {
    /** Samples that are kept unfolded, all walkers together: 2 MiB, a second and more of most scenarios. */
    private static final int STORAGE_SAMPLES = 1 << 18;

    private static final int LEAST_SAMPLES = 1 << 10;

    private final long[] samples;
    private final LatencyHistogram histogram = new LatencyHistogram();
    private final Map<String, Long> errors = new TreeMap<>();
    /** Other threads read it; only the walker's writes it. */
    private final AtomicLong units = new AtomicLong();

    private Throwable firstError;
    private int index;
    private int mark;
    private boolean keeps;
    private int failedInARow;
    private long failingNs;

    /** `samples` is the storage, made and touched beforehand. */
    public Tally(long[] samples) {
        this.samples = samples;
    }

    /** Storage for each walker's samples. */
    public static long[][] storage(int walkers) {
        return new long[walkers][Math.max(STORAGE_SAMPLES / walkers, LEAST_SAMPLES)];
    }

    /** Begins a slice, which has no errors yet. */
    public void open() {
        errors.clear();
        firstError = null;
    }

    /** Begins a part of a slice, whose samples are kept or not. */
    public void begin(boolean isKept) {
        keeps = isKept;
        mark = index;
    }

    /** Ends a part of a slice. */
    public void end() {
        if (!keeps) {
            index = mark;
        }
    }

    /** Ends a slice: makes room for the next one's samples. */
    public void close() {
        if (index > samples.length / 2) {
            fold();
        }
    }

    /** Stores a unit's latency. */
    public void add(long sample) {
        if (index == samples.length) {
            makeRoom();
        }
        samples[index++] = sample;
        units.lazySet(units.getPlain() + 1);
        failedInARow = 0;
    }

    private void makeRoom() {
        if (keeps) {
            fold();
        } else {
            index = mark;
        }
    }

    /** Counts a unit that failed after so long; says whether the target is lost with it. */
    public boolean failed(Throwable error, long tookNs) {
        errors.merge(error.getClass().getSimpleName(), 1L, Long::sum);
        firstError = firstError == null ? error : firstError;
        failingNs = failedInARow == 0 ? tookNs : failingNs + tookNs;
        failedInARow++;
        return failedInARow >= Limits.FAILURES_IN_A_ROW || failingNs >= Limits.SILENCE.toNanos();
    }

    /** What is said of a target that is lost. */
    public String complaint() {
        return failedInARow + " units in a row failed";
    }

    /** Folds the samples into the histogram; the storage is empty then. */
    public LatencyHistogram fold() {
        histogram.add(samples, index);
        index = 0;
        return histogram;
    }

    /** Units that have succeeded since the beginning, of all slices. */
    public long units() {
        return units.get();
    }

    /** The slice's failed units by kind. */
    public Map<String, Long> errors() {
        return errors;
    }

    public Throwable firstError() {
        return firstError;
    }
}
