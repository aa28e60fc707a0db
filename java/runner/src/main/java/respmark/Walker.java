package respmark;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Performs one unit after another on a thread of its own; counts them and keeps their latencies. */
public class Walker {
    /** So long after a part, a command without a reply is lost: longer than a library's own timeout. */
    static final int LOST_S = 12;

    private final Place place;
    private final Unit unit;
    private final long[] latencies;
    private final double[] due;
    private final double[] lags;
    private Worked slice;
    private int at;
    private int units;
    private Arrivals arrivals;
    private int failedUnits;

    /**
     * How a walker goes on through so many commands; it has room for so many latencies, and, if it is open, for what an
     * open loop keeps beside them.
     */
    public record Place(int count, int step, int room, boolean isOpen) {}

    /** `unit` performs one of its units as a whole. */
    public Walker(Place place, Unit unit) {
        this.place = place;
        this.unit = unit;
        latencies = new long[place.room];
        due = new double[place.isOpen ? place.room : 0];
        lags = new double[due.length];
    }

    /**
     * Performs one unit or more, until this moment; returns when nothing is in flight any more.
     * Everything in it is charged to the client.
     *
     * <p>One clock read ends a unit and starts the next, and one store keeps its latency. A unit has
     * its own method because that is compiled once it has been called often enough, whereas the loop
     * around it, which runs twice per slice, is entered through the interpreter each time.
     */
    protected void until(long endNs) throws InterruptedException {
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

    /** The open loop: a unit starts when it is due, or at once if it is late. */
    protected void open(Arrivals arrivals) throws InterruptedException {
        for (int unit = arrivals.take(); unit != Arrivals.NONE; unit = arrivals.take()) {
            perform(unit, System.nanoTime());
        }
    }

    private void perform(int arrival, long startedNs) {
        int first = take();
        try {
            unit.perform(first);
            ended(arrival, startedNs, System.nanoTime(), null);
        } catch (Exception error) {
            ended(arrival, startedNs, System.nanoTime(), error);
        }
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

    /** So many commands of a part have no reply. */
    final void lost(int commands) {
        if (commands > 0) {
            failed(new TimeoutException("no reply to " + commands + " commands in " + LOST_S + " s"));
        }
    }

    /** A unit of an open loop has ended; its latency is negative if it failed. */
    protected final void ended(int arrival, long startedNs, long endedNs, Throwable error) {
        int sample = sampled();
        if (sample < latencies.length) {
            latencies[sample] = error == null ? endedNs - startedNs : startedNs - endedNs;
            due[sample] = (double) arrivals.due(arrival);
            lags[sample] = (double) (startedNs - arrivals.dueNs(arrival));
        }
        if (error == null) {
            units++;
        } else {
            failedUnits++;
            failed(error);
        }
    }

    /** Goes to its first command. */
    final void begin(int first, Worked worked) {
        at = first;
        slice = worked;
    }

    /** Prepares a slice; the walkers' units are these if it is an open loop's, else null. */
    final void expect(Arrivals queue) {
        arrivals = queue;
    }

    /** Performs a part of a slice, so long; returns how many units were completed. */
    final long part(long fromNs, long ns) throws InterruptedException {
        units = 0;
        failedUnits = 0;
        if (arrivals != null) {
            open(arrivals);
        } else if (ns > 0) {
            until(fromNs + ns);
        }
        return units;
    }

    /** How many units of the last part have a latency, or would if there were room. */
    final int sampled() {
        return units + failedUnits;
    }

    final Unit unit() {
        return unit;
    }

    /** Adds the samples of the last part to columns, as far as there is room. */
    final void store(List<ByteBuffer> columns) {
        int count =
                Math.min(Math.min(sampled(), latencies.length), columns.get(0).remaining() / Double.BYTES);
        for (int i = 0; i < count; i++) {
            columns.get(0).putDouble((double) latencies[i]);
        }
        for (int i = 0; i < count && arrivals != null; i++) {
            columns.get(1).putDouble(due[i]);
            columns.get(2).putDouble(lags[i]);
        }
    }
}
