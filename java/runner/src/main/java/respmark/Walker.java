package respmark;

import java.nio.ByteBuffer;

/** Performs one unit after another on a thread of its own; counts them and keeps their latencies. */
public class Walker {
    private final Place place;
    private final Unit unit;
    private final long[] latencies;
    private Worked slice;
    private int at;
    private int units;

    /**
     * Where it begins after the first walker of all, and how it goes on through so many commands; it
     * has room for so many latencies.
     */
    public record Place(long offset, int count, int step, int room) {}

    /** `unit` performs one of its units as a whole. */
    public Walker(Place place, Unit unit) {
        this.place = place;
        this.unit = unit;
        latencies = new long[place.room];
    }

    /**
     * Performs one unit or more, until this moment; returns when nothing is in flight any more.
     * Everything in it is charged to the client.
     *
     * <p>One clock read ends a unit and starts the next, and one store keeps its latency. A unit has
     * its own method because that is compiled once it has been called often enough, whereas the loop
     * around it, which runs twice per slice, is entered through the interpreter each time.
     */
    protected void until(long endNs) {
        long now = System.nanoTime();
        do {
            now = next(now);
        } while (now < endNs);
    }

    /** Performs a unit that could start at `then`; returns the time at which it ended. */
    private long next(long then) {
        int first = take();
        long now;
        try {
            unit.perform(first);
            now = System.nanoTime();
            completed(now - then);
        } catch (Exception error) {
            failed(error);
            now = System.nanoTime();
        }
        return now;
    }

    /** Takes the next unit's first command. */
    protected final int take() {
        int first = at;
        int next = first + place.step;
        at = next >= place.count ? next - place.count : next;
        return first;
    }

    protected final void completed(long ns) {
        if (units < latencies.length) {
            latencies[units] = ns;
        }
        units++;
    }

    protected final void failed(Throwable error) {
        slice.failed(error);
    }

    /** Goes to its first command where the first of all walkers begins at `first`. */
    final void begin(long first, Worked worked) {
        at = (int) ((first + place.offset) % place.count);
        slice = worked;
    }

    /** Performs a part of a slice; returns how many units were completed. */
    final long part(long endNs) {
        units = 0;
        until(endNs);
        return units;
    }

    final Unit unit() {
        return unit;
    }

    /** Adds the latencies of the last part to a storage, as far as there is room. */
    final void store(ByteBuffer storage) {
        for (int i = 0; i < Math.min(units, latencies.length) && storage.hasRemaining(); i++) {
            storage.putDouble((double) latencies[i]);
        }
    }
}
