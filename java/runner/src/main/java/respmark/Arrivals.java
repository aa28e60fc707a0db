package respmark;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The units of this process that are due in a slice of an open loop: one queue, of which an idle walker takes the next.
 * A moment is one of System.nanoTime().
 */
public final class Arrivals {
    /** What is taken where no unit may start any more. */
    public static final int NONE = -1;

    /** Whoever waits sleeps until so long before, unless the order says otherwise, and reads the clock from then on. */
    private static final long READ_NS = 20_000;

    private final Order.Arrivals order;
    private final long readNs;
    private final Runnable pause;
    private final long[] due;
    private final AtomicInteger next = new AtomicInteger();
    private int end;
    private long endNs;

    /** `pause` stands between two readings of the clock. */
    Arrivals(Order.Arrivals order, Runnable pause) throws IOException {
        this.order = order;
        this.pause = pause;
        readNs = order.awakeNs() == null ? READ_NS : order.awakeNs();
        due = Order.due(order.file());
    }

    /** Goes on to a part, which takes so long: the lead-in, and then the measured one; nobody waits meanwhile. */
    void part(long ns) {
        boolean isFirst = endNs == 0;
        endNs = (isFirst ? order.at() : endNs) + ns;
        next.set(end);
        end = isFirst ? order.leadIn() : due.length;
    }

    /** Takes the next unit and waits until it is due; NONE if there is none that may start. */
    public int take() {
        int unit = next.getAndIncrement();
        long now = waitFor(unit);
        return unit < end && now <= closesNs() ? unit : NONE;
    }

    private long waitFor(int unit) {
        long wakesNs = wakesNs(unit);
        long dueNs = dueNs(unit);
        long now = System.nanoTime();
        while (now < wakesNs) {
            LockSupport.parkNanos(wakesNs - now);
            now = System.nanoTime();
        }
        while (now < dueNs) {
            pause.run();
            now = System.nanoTime();
        }
        return now;
    }

    /**
     * The moment until which whoever waits for a unit sleeps: not before the unit before it is due, so that one thread of
     * the process at the most reads the clock.
     */
    long wakesNs(int unit) {
        long wakesNs = dueNs(unit) - readNs;
        return unit == 0 ? wakesNs : Math.max(wakesNs, dueNs(unit - 1));
    }

    /** The moment after which no unit of the part may start. */
    long closesNs() {
        return endNs + order.drainNs();
    }

    /** When a unit is due, in ns after `at`. */
    long due(int unit) {
        return due[unit];
    }

    /** The moment at which a unit is due; beyond the last one, the part's end. */
    long dueNs(int unit) {
        return unit < end ? order.at() + due[unit] : endNs;
    }
}
