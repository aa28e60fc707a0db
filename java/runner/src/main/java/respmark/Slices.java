package respmark;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The slices of a trial: every walker has a thread, which sleeps at a barrier between them. It keeps
 * it to the trial's end: on a new one, libraries would make their thread-local objects within the slice, and
 * code that was compiled when these always existed would be thrown away.
 */
final class Slices {
    /** Before, one that waits inside `synchronized`, as in commons-pool2, keeps its carrier from all others. */
    private static final int FIRST_WITH_VIRTUAL = 24;

    private final ExecutorService threads;
    private List<Walker> walkers = List.of();
    private CyclicBarrier barrier;
    /** Null where the walkers are to end. */
    private Order.Work order;

    /** Null in a closed loop. */
    private Arrivals arrivals;

    private Worked worked;

    /** What starts threads; virtual ones by name, because this is compiled for JDK 17. */
    static ExecutorService threads(boolean isVirtual) throws ReflectiveOperationException {
        if (!isVirtual) {
            return Executors.newCachedThreadPool();
        }
        if (Runtime.version().feature() < FIRST_WITH_VIRTUAL) {
            throw new UnsupportedOperationException("virtual threads can share a pool from JDK 24 on");
        }
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    Slices(ExecutorService threads) {
        this.threads = threads;
    }

    /** Starts the walkers' threads. */
    void start(List<Walker> all) {
        walkers = all;
        barrier = new CyclicBarrier(all.size() + 1, () -> note(Moment.now()));
        IntStream.range(0, all.size()).forEach(i -> threads.execute(() -> live(all.get(i), i)));
    }

    private void note(long[] now) {
        if (order != null) {
            worked.moment(now);
            if (arrivals != null && worked.ended == null) {
                arrivals.part(worked.measuredFrom == null ? order.leadInNs() : order.ns());
            }
        }
    }

    private void live(Walker walker, int index) {
        try {
            barrier.await();
            while (order != null) {
                walker.begin(order.first()[index], worked);
                worked.leadIn[index] = walker.part(worked.started[0], order.leadInNs());
                barrier.await();
                worked.measured[index] = walker.part(worked.measuredFrom[0], order.ns());
                barrier.await();
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Lets every walker work for one slice, in an open loop for these units; returns when it is over. */
    Worked work(Order.Work slice, Arrivals queue) throws InterruptedException, BrokenBarrierException {
        order = slice;
        arrivals = queue;
        walkers.forEach(walker -> walker.expect(queue));
        worked = new Worked(walkers.size());
        while (worked.ended == null) {
            barrier.await();
        }
        return worked;
    }

    /** Ends the walkers' threads; returns when they have ended. */
    void close() throws InterruptedException, BrokenBarrierException {
        order = null;
        if (!walkers.isEmpty()) {
            barrier.await();
        }
        threads.shutdown();
        if (!threads.awaitTermination(Walker.LOST_S, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a thread of the trial goes on");
        }
    }
}
