package respmark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

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
    private final double[] due;
    private final int leadIn;
    private final AtomicInteger next = new AtomicInteger();
    private int end;
    private long endNs;

    /** Those of process `part` of `parts`; `pause` stands between two readings of the clock. */
    Arrivals(Order.Work work, int part, int parts, Runnable pause) throws IOException {
        order = work.arrivals();
        this.pause = pause;
        readNs = order.awakeNs() == null ? READ_NS : order.awakeNs();
        DoubleBuffer all = ByteBuffer.wrap(Files.readAllBytes(Path.of(order.file())))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asDoubleBuffer();
        due = IntStream.iterate(part, k -> k < all.limit(), k -> k + parts)
                .mapToDouble(all::get)
                .toArray();
        leadIn = (int) IntStream.range(0, due.length)
                .filter(k -> due[k] < work.leadInNs())
                .count();
    }

    /** Goes on to a part, which takes so long: the lead-in, and then the measured one; nobody waits meanwhile. */
    void part(long ns) {
        boolean isFirst = endNs == 0;
        endNs = (isFirst ? order.at() : endNs) + ns;
        next.set(end);
        end = isFirst ? leadIn : due.length;
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
    double due(int unit) {
        return due[unit];
    }

    /** The moment at which a unit is due, in whole ns, so that none starts early; beyond the last one, the part's end. */
    long dueNs(int unit) {
        return unit < end ? order.at() + (long) Math.ceil(due[unit]) : endNs;
    }
}
