package respmark.scenarios;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import respmark.clients.Lane;
import respmark.contract.Limits;
import respmark.contract.Order;
import respmark.recorder.Moment;
import respmark.recorder.Tally;

/**
 * A scenario, ready to run: every walker on a thread of its own, asleep at a barrier until a slice is ordered.
 *
 * <p>A walker keeps its thread to the end. On a new one, whatever libraries keep by thread would be made in the slice, and
 * compiled code that had only seen it made already would be thrown away and compiled again.
 */
public final class Course implements AutoCloseable {
    /** How often the main thread looks, in a slice that lasts longer, whether anything succeeds at all. */
    private static final long LOOK_NS = 1_000_000_000;

    private static final Object DONE = new Object();

    private final List<Walk> walks;
    private final List<Tally> tallies;
    private final List<Walker> walkers;
    private final List<Thread> threads;
    private final long[] leadInUnits;
    private final long[] measuredUnits;
    private final Moment started = new Moment();
    private final Moment measuredFrom = new Moment();
    private final Moment ended = new Moment();
    private final CyclicBarrier start;
    private final CyclicBarrier middle;
    private final CyclicBarrier end;
    private final BlockingQueue<Object> endings = new LinkedBlockingQueue<>();
    private Order.Slice order;

    /** Starts the threads. `depth` is that of a window that slides; what is no failure of a unit ends the trial. */
    public Course(
            List<Lane> lanes,
            List<Walk> walks,
            List<Tally> tallies,
            int depth,
            ThreadKind kind,
            Predicate<Throwable> isFailure) {
        int count = lanes.size();
        this.walks = List.copyOf(walks);
        this.tallies = List.copyOf(tallies);
        leadInUnits = new long[count];
        measuredUnits = new long[count];
        start = new CyclicBarrier(count + 1, started::begin);
        middle = new CyclicBarrier(count, measuredFrom::begin);
        end = new CyclicBarrier(count, this::finish);
        walkers = IntStream.range(0, count)
                .mapToObj(i -> walker(lanes.get(i), walks.get(i), tallies.get(i), depth, isFailure))
                .toList();
        threads = IntStream.range(0, count)
                .mapToObj(i -> kind.factory(i).newThread(() -> live(i)))
                .toList();
        threads.forEach(Thread::start);
    }

    private static Walker walker(Lane lane, Walk walk, Tally tally, int depth, Predicate<Throwable> isFailure) {
        return lane.flight() == null
                ? new UnitLoop(lane.unit(), walk, tally, isFailure)
                : new SlidingWindow(lane.flight(), depth, walk, tally, isFailure);
    }

    private void live(int number) {
        try {
            while (true) {
                start.await();
                slice(number, walkers.get(number), tallies.get(number));
            }
        } catch (Throwable error) {
            endings.add(error);
        }
    }

    private void slice(int number, Walker walker, Tally tally) throws Exception {
        tally.open();
        walker.goTo(first(number));
        if (order.leadInNs() > 0) {
            leadInUnits[number] = part(walker, tally, started.atNs() + order.leadInNs(), false);
        } else {
            leadInUnits[number] = 0;
        }
        middle.await();
        measuredUnits[number] = part(walker, tally, measuredFrom.atNs() + order.durationNs(), order.keepSamples());
        end.await();
    }

    /** Lead-in and measured part are this same code; returns how many units succeeded. */
    private static long part(Walker walker, Tally tally, long endNs, boolean isKept) throws Exception {
        long before = tally.units();
        tally.begin(isKept);
        walker.until(endNs);
        tally.end();
        return tally.units() - before;
    }

    private void finish() {
        ended.end();
        endings.add(DONE);
    }

    /** Lets every walker work for one slice, and returns when it is over and there is room for the next one's samples. */
    public void work(Order.Slice slice) throws Lost, InterruptedException, BrokenBarrierException {
        order = slice;
        start.await();
        awaitEnd();
        tallies.forEach(Tally::close);
    }

    private void awaitEnd() throws Lost, InterruptedException {
        long seen = units();
        long silentNs = 0;
        for (Object ending = null; ending == null; ) {
            ending = endings.poll(LOOK_NS, TimeUnit.NANOSECONDS);
            check(ending);
            silentNs = units() == seen ? silentNs + LOOK_NS : 0;
            seen = units();
            if (ending == null && silentNs >= Limits.SILENCE.toNanos()) {
                throw new Lost("nothing was answered for %d s".formatted(silentNs / LOOK_NS), null);
            }
        }
    }

    private static void check(Object ending) throws Lost {
        if (ending instanceof Lost lost) {
            throw lost;
        }
        if (ending instanceof Error fatal) {
            throw fatal;
        }
        if (ending instanceof RuntimeException fault) {
            throw fault;
        }
        if (ending instanceof Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    private long units() {
        return tallies.stream().mapToLong(Tally::units).sum();
    }

    /** The slice's first command of this walker. */
    public int first(int number) {
        return walks.get(number).first(order.firstCommand());
    }

    public List<Tally> tallies() {
        return tallies;
    }

    /** Units of the slice's lead-in, by walker. */
    public long[] leadInUnits() {
        return leadInUnits.clone();
    }

    /** Units of the slice's measured part, by walker. */
    public long[] measuredUnits() {
        return measuredUnits.clone();
    }

    public Moment started() {
        return started;
    }

    public Moment measuredFrom() {
        return measuredFrom;
    }

    public Moment ended() {
        return ended;
    }

    /** Ends the walkers' threads, wherever they are. */
    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
