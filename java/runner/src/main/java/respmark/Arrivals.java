package respmark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** The units of one walker that are due in a slice of an open loop, in order; a moment is one of System.nanoTime(). */
public final class Arrivals {
    /** What is taken where no unit may start. */
    public static final int NONE = -1;

    /** Linux wakes a thread about 60 us late: its timers have a slack of 50 us, and to wake takes some more. */
    private static final long POLLED_NS = 100_000;

    private final Order.Arrivals order;
    private final double[] due;
    private final int leadIn;
    private int next;
    private int end;
    private long endNs;

    /** When all walkers' units are due, in ns after `at`. */
    static DoubleBuffer read(String file) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(Path.of(file)))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asDoubleBuffer();
    }

    /** Those of walker `number` of `walkers`. */
    Arrivals(Order.Work work, DoubleBuffer all, int number, int walkers) {
        order = work.arrivals();
        due = IntStream.iterate(number, k -> k < all.limit(), k -> k + walkers)
                .mapToDouble(all::get)
                .toArray();
        leadIn = (int) IntStream.range(0, due.length)
                .filter(k -> due[k] < work.leadInNs())
                .count();
    }

    /** Goes on to a part, which takes so long: the lead-in, and then the measured one. */
    synchronized void part(long ns) {
        boolean isFirst = endNs == 0;
        endNs = (isFirst ? order.at() : endNs) + ns;
        next = end;
        end = isFirst ? leadIn : due.length;
    }

    /** Waits until the next unit is due, or, if there is none, until the part ends; returns the time. */
    @SuppressWarnings("ThreadPriorityCheck") // a library's threads and the server may need the processor meanwhile
    public long await() {
        long until = nextNs();
        long now = System.nanoTime();
        if (until - now > POLLED_NS) {
            LockSupport.parkNanos(until - now - POLLED_NS);
        }
        while (now < until) {
            Thread.yield();
            now = System.nanoTime();
        }
        return now;
    }

    private synchronized long nextNs() {
        return next < end ? dueNs(next) : endNs;
    }

    /** Whether no unit of the part may start any more. */
    public synchronized boolean isOver(long now) {
        return next == end || now > closesNs();
    }

    /** The moment after which no unit of the part may start. */
    public synchronized long closesNs() {
        return endNs + order.drainNs();
    }

    /** Takes the next unit, if it is due and may start now; else NONE. */
    public synchronized int take(long now) {
        return isOver(now) || now < dueNs(next) ? NONE : next++;
    }

    /** When a unit is due, in ns after `at`. */
    double due(int unit) {
        return due[unit];
    }

    /** The moment at which a unit is due. */
    long dueNs(int unit) {
        return order.at() + (long) due[unit];
    }
}
