package respmark.recorder;

import java.util.concurrent.atomic.AtomicLong;

/** What one walker has completed: how many units, and the samples that are kept. */
public final class Samples {
    /** Unfolded samples of all walkers together: 2 MiB, at least a second of most scenarios. */
    private static final int STORAGE_SAMPLES = 1 << 18;

    private static final int LEAST_SAMPLES = 1 << 10;

    private final long[] storage;
    private final Histogram histogram = new Histogram();
    /** Other threads read it; only the walker's thread writes it. */
    private final AtomicLong units = new AtomicLong();

    private int index;
    private int mark;
    private boolean keeps;

    /** `storage` is allocated and touched beforehand. */
    public Samples(long[] storage) {
        this.storage = storage;
    }

    /** Storage for each walker's samples. */
    public static long[][] storage(int walkers) {
        return new long[walkers][Math.max(STORAGE_SAMPLES / walkers, LEAST_SAMPLES)];
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
    public void endSlice() {
        if (index > storage.length / 2) {
            fold();
        }
    }

    /** Stores a unit's latency. */
    public void add(long sample) {
        if (index == storage.length) {
            makeRoom();
        }
        storage[index++] = sample;
        units.lazySet(units.getPlain() + 1);
    }

    private void makeRoom() {
        if (keeps) {
            fold();
        } else {
            index = mark;
        }
    }

    /** Folds the samples into the histogram and empties the storage. */
    public Histogram fold() {
        histogram.add(storage, index);
        index = 0;
        return histogram;
    }

    /** Units that have succeeded so far, in all slices. */
    public long units() {
        return units.get();
    }
}
