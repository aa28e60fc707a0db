package respmark;

import java.io.IOException;
import java.nio.DoubleBuffer;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * The slices of a trial: every walker has a thread, which sleeps at a barrier between them. It keeps
 * it to the end: on a new one, libraries would make their thread-local objects within the slice, and
 * code that was compiled when these always existed would be thrown away.
 */
final class Slices {
    /** Before, one that waits inside `synchronized`, as in commons-pool2, keeps its carrier from all others. */
    private static final int FIRST_WITH_VIRTUAL = 24;

    private final List<Walker> walkers;
    private final CyclicBarrier barrier;
    private Order.Work order;
    private Worked worked;

    /** What starts threads; virtual ones by name, because this is compiled for JDK 17. */
    static Executor threads(boolean isVirtual) throws ReflectiveOperationException {
        if (!isVirtual) {
            return Executors.newCachedThreadPool();
        }
        if (Runtime.version().feature() < FIRST_WITH_VIRTUAL) {
            throw new UnsupportedOperationException("virtual threads can share a pool from JDK 24 on");
        }
        return (Executor)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    /** Starts the walkers' threads. */
    Slices(List<Walker> walkers, Executor threads) {
        this.walkers = walkers;
        barrier = new CyclicBarrier(walkers.size() + 1, () -> worked.moment(Moment.now()));
        IntStream.range(0, walkers.size()).forEach(i -> threads.execute(() -> live(walkers.get(i), i)));
    }

    private void live(Walker walker, int index) {
        try {
            while (true) {
                barrier.await();
                walker.begin(order.first(), worked);
                worked.leadIn[index] = walker.part(worked.started[0], order.leadInNs());
                barrier.await();
                worked.measured[index] = walker.part(worked.measuredFrom[0], order.ns());
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Lets every walker work for one slice; returns when it is over. */
    Worked work(Order.Work slice) throws IOException, InterruptedException, BrokenBarrierException {
        order = slice;
        DoubleBuffer due =
                slice.arrivals() == null ? null : Arrivals.read(slice.arrivals().file());
        walkers.forEach(walker -> walker.expect(slice, due));
        worked = new Worked(walkers.size());
        while (worked.ended == null) {
            barrier.await();
        }
        return worked;
    }
}
