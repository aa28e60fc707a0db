package respmark.recorder;

import java.util.Map;
import java.util.TreeMap;

/** What one walker has done in a window: samples, units, failures, and the moments on the way. */
public final class Tally {
    /** The checkpoint of a window that is over: every clock reading lies beyond it. */
    public static final long OVER = Long.MIN_VALUE;
    /** So many failed units of one walker in a row mean that the target is lost. */
    public static final int FAILURES_IN_A_ROW = 25;
    /** So does so long without a unit that succeeds: a library's own retries can make 25 failures last minutes. */
    private static final long PATIENCE_NS = 5 * Window.SECOND_NS;
    /** Samples that are kept unfolded, all walkers together: 16 MiB, a minute and more of most scenarios. */
    private static final int STORAGE_SAMPLES = 1 << 21;

    private static final int LEAST_SAMPLES = 1 << 10;

    private final long[] samples;
    private final Window window;
    private final LatencyHistogram histogram = new LatencyHistogram();
    private final Map<String, Long> errors = new TreeMap<>();
    private Throwable firstError;
    private int index;
    private long folded;
    private Half half;
    private long unitsBeforeLast;
    private long endedNs;
    private long tickNs;
    private long checkpoint = OVER;
    private long unitsAtFailure = -1;
    private long failingSinceNs;
    private int failedInARow;
    private volatile long publishedUnits;

    /** Units done when the first unit at or after half of the window ended, and when that was. */
    public record Half(long units, long elapsedNs) {}

    public Tally(long[] samples, Window window) {
        this.samples = samples;
        this.window = window;
    }

    /** Storage for each walker's samples, made and touched beforehand. */
    public static long[][] storage(int walkers) {
        return new long[walkers][Math.max(STORAGE_SAMPLES / walkers, LEAST_SAMPLES)];
    }

    /** Opens the walk; returns the first checkpoint. */
    public long begin() {
        tickNs = window.startNs() + Window.SECOND_NS;
        checkpoint = nextCheckpoint();
        return checkpoint;
    }

    /** Stores a sample; folds the storage when it is full. */
    public void add(long sample) {
        if (index == samples.length) {
            fold();
        }
        samples[index++] = sample;
        failedInARow = 0;
    }

    /** The clock reading at which `reached` is due. */
    public long checkpoint() {
        return checkpoint;
    }

    /** Notes what `now`, at or after a checkpoint, means; returns the next checkpoint, or OVER. */
    public long reached(long now) {
        if (now >= window.endNs()) {
            endedNs = now;
            unitsBeforeLast = Math.max(units() - 1, 0);
            publishedUnits = units();
            checkpoint = OVER;
            return OVER;
        }
        if (half == null && now >= window.halfNs()) {
            half = new Half(units(), now - window.startNs());
        }
        if (now >= tickNs) {
            publishedUnits = units();
            tickNs += (now - tickNs) / Window.SECOND_NS * Window.SECOND_NS + Window.SECOND_NS;
        }
        checkpoint = nextCheckpoint();
        return checkpoint;
    }

    /** Counts a failed unit, which ended `now`; says whether the target is lost with it. */
    public boolean failed(Throwable error, long now) {
        errors.merge(error.getClass().getSimpleName(), 1L, Long::sum);
        firstError = firstError == null ? error : firstError;
        if (!isFailing()) {
            unitsAtFailure = units();
            failingSinceNs = now;
        }
        failedInARow++;
        return failedInARow >= FAILURES_IN_A_ROW || now - failingSinceNs >= PATIENCE_NS;
    }

    /** Folds the samples into the histogram; the storage is empty then. */
    public void fold() {
        histogram.add(samples, index);
        folded += index;
        index = 0;
    }

    private long nextCheckpoint() {
        long next = half == null ? window.halfNs() : window.endNs();
        return Math.min(Math.min(next, tickNs), window.endNs());
    }

    /** Units that succeeded. */
    public long units() {
        return folded + index;
    }

    /** Whether nothing has succeeded since the last failure. */
    public boolean isFailing() {
        return unitsAtFailure == units();
    }

    public int failedInARow() {
        return failedInARow;
    }

    /** Units done at the last tick, for other threads to read. */
    public long publishedUnits() {
        return publishedUnits;
    }

    public LatencyHistogram histogram() {
        return histogram;
    }

    public Map<String, Long> errors() {
        return errors;
    }

    public Throwable firstError() {
        return firstError;
    }

    /** Null when no unit ended between half of the window and its end. */
    public Half half() {
        return half;
    }

    /** Units done before the one that ended the window: all there were at half of it, when `half` is null. */
    public long unitsBeforeLast() {
        return unitsBeforeLast;
    }

    public long endedNs() {
        return endedNs;
    }
}
