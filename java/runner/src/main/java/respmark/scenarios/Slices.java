package respmark.scenarios;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import respmark.clients.Lane;
import respmark.contract.Event;
import respmark.contract.Limits;
import respmark.contract.Order;
import respmark.recorder.Moment;
import respmark.recorder.Samples;
import respmark.workload.Walker;

/**
 * The slices of a trial: every walker has its own thread, which sleeps at a barrier until a slice
 * is ordered.
 *
 * <p>A walker keeps its thread to the end. With a new thread, libraries would create their
 * thread-local objects within the slice, and code that was compiled when these always existed would
 * be thrown away and compiled again.
 */
public final class Slices implements AutoCloseable {
    /** How often the main thread checks, in a longer slice, whether anything succeeds at all. */
    private static final long LOOK_NS = 1_000_000_000;

    private static final int LONGEST_MESSAGE = 500;
    private static final Object DONE = new Object();

    private final List<Walker> walkers;
    private final List<Samples> samples;
    private final List<Failures> failures;
    private final List<Loop> loops;
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

    /**
     * Starts the threads. `depth` is that of a sliding window; any error but a unit's failure ends
     * the trial.
     */
    public Slices(
            List<Lane> lanes,
            List<Walker> walkers,
            List<Samples> samples,
            int depth,
            ThreadKind kind,
            Predicate<Throwable> isFailure) {
        int count = lanes.size();
        this.walkers = List.copyOf(walkers);
        this.samples = List.copyOf(samples);
        failures = samples.stream().map(own -> new Failures(isFailure, own)).toList();
        leadInUnits = new long[count];
        measuredUnits = new long[count];
        start = new CyclicBarrier(count + 1, started::open);
        middle = new CyclicBarrier(count, measuredFrom::open);
        end = new CyclicBarrier(count, this::finish);
        loops = IntStream.range(0, count)
                .mapToObj(i -> loop(lanes.get(i), walkers.get(i), samples.get(i), failures.get(i), depth))
                .toList();
        threads = IntStream.range(0, count)
                .mapToObj(i -> kind.factory(i).newThread(() -> live(i)))
                .toList();
        threads.forEach(Thread::start);
    }

    private static Loop loop(Lane lane, Walker walker, Samples samples, Failures failures, int depth) {
        return lane.flight() == null
                ? new UnitLoop(lane.unit(), walker, samples, failures)
                : new SlidingWindow(lane.flight(), depth, walker, samples, failures);
    }

    private void live(int number) {
        try {
            while (true) {
                start.await();
                slice(number, loops.get(number), samples.get(number));
            }
        } catch (Throwable error) {
            endings.add(error);
        }
    }

    private void slice(int number, Loop loop, Samples samples) throws Exception {
        failures.get(number).beginSlice();
        loop.goTo(first(number));
        if (order.leadInNs() > 0) {
            leadInUnits[number] = part(loop, samples, started.atNs() + order.leadInNs(), false);
        } else {
            leadInUnits[number] = 0;
        }
        middle.await();
        measuredUnits[number] = part(loop, samples, measuredFrom.atNs() + order.durationNs(), order.keepSamples());
        end.await();
    }

    /** Performs either part of a slice, with the same code; returns how many units succeeded. */
    private static long part(Loop loop, Samples samples, long endNs, boolean isKept) throws Exception {
        long before = samples.units();
        samples.begin(isKept);
        loop.until(endNs);
        samples.end();
        return samples.units() - before;
    }

    private void finish() {
        ended.close();
        endings.add(DONE);
    }

    /** Lets every walker work for one slice, and returns when it is over and there is room for the next one's samples. */
    public void work(Order.Slice slice) throws Lost, InterruptedException, BrokenBarrierException {
        order = slice;
        start.await();
        awaitEnd();
        samples.forEach(Samples::endSlice);
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
                throw new Lost("no unit succeeded for %d s".formatted(silentNs / LOOK_NS), null);
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
        return samples.stream().mapToLong(Samples::units).sum();
    }

    /**
     * The event for the slice that has just ended; `redacted` leaves secrets out of messages, and
     * `localCache` is what the client's own cache did since the previous slice.
     */
    public Event.Slice answer(
            String trialId, int commandsPerUnit, UnaryOperator<String> redacted, Event.LocalCache localCache) {
        return new Event.Slice(
                trialId,
                order.slice(),
                started.told(),
                measuredFrom.told(),
                ended.told(),
                work(leadInUnits, commandsPerUnit),
                work(measuredUnits, commandsPerUnit),
                IntStream.range(0, walkers.size())
                        .mapToObj(
                                i -> new Event.Segment(first(i), (leadInUnits[i] + measuredUnits[i]) * commandsPerUnit))
                        .toList(),
                errors(),
                firstError(redacted),
                localCache);
    }

    private static Event.Work work(long[] units, int commandsPerUnit) {
        long all = LongStream.of(units).sum();
        return new Event.Work(all * commandsPerUnit, all);
    }

    private Map<String, Long> errors() {
        Map<String, Long> errors = new TreeMap<>();
        failures.forEach(own -> own.errors().forEach((kind, count) -> errors.merge(kind, count, Long::sum)));
        return errors;
    }

    private String firstError(UnaryOperator<String> redacted) {
        return failures.stream()
                .map(Failures::firstError)
                .filter(Objects::nonNull)
                .findFirst()
                .map(error -> error.getClass().getSimpleName() + ": " + error.getMessage())
                .map(redacted)
                .map(text -> text.substring(0, Math.min(text.length(), LONGEST_MESSAGE)))
                .orElse(null);
    }

    /** This walker's first command in the slice. */
    public int first(int number) {
        return walkers.get(number).first(order.firstCommand());
    }

    public List<Samples> samples() {
        return samples;
    }

    public List<Failures> failures() {
        return failures;
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

    /** Ends the walkers' threads, whatever they are doing. */
    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
