package respmark.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import respmark.clients.Flight;
import respmark.clients.Lane;
import respmark.clients.Unit;
import respmark.contract.Limits;
import respmark.contract.Order;
import respmark.recorder.Samples;
import respmark.workload.Walker;

class SlicesTest {
    private static final int LENGTH = 10;
    private static final int FIRST = 3;
    private static final long MS = 1_000_000;

    /** What a unit raises here. */
    private static final class Failure extends RuntimeException {}

    private interface Performed {
        void at(int first);
    }

    private static Lane lane(Performed unit) {
        return new Lane(new Unit() {
            @Override
            public Object perform(int first) {
                unit.at(first);
                return first;
            }

            @Override
            public List<?> replies(Object outcome) {
                return List.of(outcome);
            }
        });
    }

    private static Slices slices(List<Lane> lanes, int depth) {
        List<Walker> walkers = IntStream.range(0, lanes.size())
                .mapToObj(i -> new Walker(i, lanes.size(), 1, LENGTH))
                .toList();
        List<Samples> samples =
                lanes.stream().map(lane -> new Samples(new long[1 << 20])).toList();
        return new Slices(lanes, walkers, samples, depth, ThreadKind.PLATFORM, error -> error instanceof Failure);
    }

    private static Slices slices(Lane lane) {
        return slices(List.of(lane), 1);
    }

    private static Order.Slice slice(long durationMs, long leadInMs) {
        return new Order.Slice(1, durationMs * MS, leadInMs * MS, FIRST, true);
    }

    private static long sum(long[] units) {
        return LongStream.of(units).sum();
    }

    @Test
    void unitsFollowEachOtherThroughLeadInAndMeasuredPart() throws Exception {
        List<Integer> firsts = new ArrayList<>();
        try (Slices slices = slices(lane(firsts::add))) {
            slices.work(slice(5, 5));
            assertEquals(firsts.size(), sum(slices.leadInUnits()) + sum(slices.measuredUnits()));
            assertTrue(sum(slices.leadInUnits()) > 0);
            assertTrue(sum(slices.measuredUnits()) > 0);
        }
        for (int i = 0; i < firsts.size(); i++) {
            assertEquals((FIRST + i) % LENGTH, firsts.get(i));
        }
    }

    @Test
    void everySliceBeginsWhereItsOrderSays() throws Exception {
        List<Integer> firsts = new ArrayList<>();
        try (Slices slices = slices(lane(firsts::add))) {
            for (int first : List.of(2, 9, 12)) {
                int before = firsts.size();
                slices.work(new Order.Slice(1, 1, 0, first, false));
                assertEquals(first % LENGTH, firsts.get(before));
                assertEquals(first % LENGTH, slices.first(0));
            }
        }
    }

    @Test
    void withoutALeadInItsWorkIsNothing() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        try (Slices slices = slices(lane(first -> performed.incrementAndGet()))) {
            slices.work(slice(5, 5));
            performed.set(0);
            slices.work(slice(5, 0));
            assertEquals(0, sum(slices.leadInUnits()));
            assertEquals(performed.get(), sum(slices.measuredUnits()));
        }
    }

    @Test
    void theMomentsComeInTurnAndPartsLastAsLongAsOrdered() throws Exception {
        try (Slices slices = slices(Collections.nCopies(3, lane(first -> {})), 1)) {
            long before = System.nanoTime();
            slices.work(slice(6, 4));
            assertTrue(before <= slices.started().atNs());
            assertTrue(slices.measuredFrom().atNs() - slices.started().atNs() >= 4 * MS);
            assertTrue(slices.ended().atNs() - slices.measuredFrom().atNs() >= 6 * MS);
            assertTrue(slices.ended().atNs() <= System.nanoTime());
        }
    }

    @Test
    void everyWalkerHasSamplesAndABeginningOfItsOwn() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        try (Slices slices = slices(Collections.nCopies(4, lane(first -> performed.incrementAndGet())), 1)) {
            slices.work(slice(5, 5));
            assertEquals(
                    performed.get(),
                    slices.samples().stream().mapToLong(Samples::units).sum());
            assertEquals(
                    List.of(3, 5, 8, 0),
                    IntStream.range(0, 4).mapToObj(slices::first).toList());
        }
    }

    @Test
    void onlySamplesOfMeasuredPartsThatAreKeptStay() throws Exception {
        try (Slices slices = slices(lane(first -> {}))) {
            slices.work(new Order.Slice(1, MS, MS, 0, false));
            slices.work(new Order.Slice(2, MS, MS, 0, true));
            long kept = sum(slices.measuredUnits());
            slices.work(new Order.Slice(3, MS, MS, 0, false));
            long counted = slices.samples().get(0).fold().pairs().stream()
                    .mapToLong(pair -> pair[1])
                    .sum();
            assertEquals(kept, counted);
        }
    }

    @Test
    void nothingIsAllocatedWithinAPart() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] allocated = new long[1 << 16];
        AtomicInteger performed = new AtomicInteger();
        Lane lane = lane(first -> {
            int number = performed.getAndIncrement();
            if (number < allocated.length) {
                allocated[number] =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            }
        });
        // What a slice allocates once only (a class that is loaded, code that is compiled) another one does not.
        long least = Long.MAX_VALUE;
        try (Slices slices = slices(lane)) {
            for (int i = 0; i < 20; i++) {
                performed.set(0);
                slices.work(slice(1, 5));
                int leadIn = (int) Math.min(sum(slices.leadInUnits()), allocated.length);
                if (leadIn > 1) {
                    least = Math.min(least, allocated[leadIn - 1] - allocated[0]);
                }
            }
        }
        assertEquals(0, least);
    }

    @Test
    void aUnitThatFailsIsCountedInItsSliceAndTheWalkGoesOn() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        Lane lane = lane(first -> {
            if (performed.incrementAndGet() == 2) {
                throw new Failure();
            }
        });
        try (Slices slices = slices(lane)) {
            slices.work(slice(5, 5));
            assertEquals(Map.of("Failure", 1L), slices.failures().get(0).errors());
            assertEquals(performed.get() - 1, sum(slices.leadInUnits()) + sum(slices.measuredUnits()));
            slices.work(slice(1, 1));
            assertEquals(Map.of(), slices.failures().get(0).errors());
        }
    }

    @Test
    void tooManyFailuresInARowLoseTheTarget() {
        Lane lane = lane(first -> {
            throw new Failure();
        });
        try (Slices slices = slices(lane)) {
            Lost lost = assertThrows(Lost.class, () -> slices.work(slice(60_000, 0)));
            assertEquals("25 units in a row failed", lost.getMessage());
            assertTrue(lost.getCause() instanceof Failure);
        }
    }

    @Test
    void failuresInARowAreCountedFromOneSliceToTheNext() throws Exception {
        Lane lane = lane(first -> {
            throw new Failure();
        });
        try (Slices slices = slices(lane)) {
            Order.Slice ofOneUnit = new Order.Slice(1, 1, 0, 0, false);
            for (int i = 1; i < Limits.FAILURES_IN_A_ROW; i++) {
                slices.work(ofOneUnit);
            }
            assertThrows(Lost.class, () -> slices.work(ofOneUnit));
        }
    }

    @Test
    void aFaultThatIsNoFailureOfAUnitEndsTheTrial() {
        IllegalArgumentException fault = new IllegalArgumentException();
        Lane lane = lane(first -> {
            throw fault;
        });
        try (Slices slices = slices(lane)) {
            assertSame(fault, assertThrows(IllegalArgumentException.class, () -> slices.work(slice(60_000, 0))));
        }
    }

    @Test
    void aWalkerKeepsItsThreadAndSleepsBetweenSlices() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (Slices slices = slices(Collections.nCopies(3, lane(first -> threads.add(Thread.currentThread()))), 1)) {
            for (int i = 0; i < 4; i++) {
                slices.work(slice(5, 5));
                assertEquals(3, threads.size());
                for (Thread thread : threads) {
                    awaitState(thread, Thread.State.WAITING);
                }
            }
        }
    }

    @Test
    void walkersAreAsleepBeforeTheFirstSlice() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (Slices slices = slices(Collections.nCopies(2, lane(first -> {})), 1)) {
            assertEquals(2, slices.samples().size());
            Set<Thread> walkers = new HashSet<>(Thread.getAllStackTraces().keySet());
            walkers.removeAll(before);
            walkers.removeIf(thread -> !thread.getName().startsWith("walker-"));
            assertEquals(2, walkers.size());
            for (Thread thread : walkers) {
                awaitState(thread, Thread.State.WAITING);
            }
        }
    }

    /** A thread that wakes by itself is in TIMED_WAITING. */
    private static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
        for (int i = 0; thread.getState() != state && i < 1_000; i++) {
            Thread.sleep(10);
        }
        assertEquals(state, thread.getState());
    }

    @Test
    void closingEndsTheWalkersThreads() throws Exception {
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        Slices slices = slices(lane(first -> threads.add(Thread.currentThread())));
        slices.work(slice(1, 0));
        assertTrue(threads.get(0).isAlive());
        slices.close();
        threads.get(0).join(TimeUnit.SECONDS.toMillis(10));
        assertFalse(threads.get(0).isAlive());
    }

    /** Replies of its own making, from a thread of its own. */
    private static final class Replies implements Flight {
        private final List<Integer> sent = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final int failing;
        /** No reply comes before so many commands were sent. */
        private final CountDownLatch full;

        Replies(int depth, int failing) {
            this.full = new CountDownLatch(depth);
            this.failing = failing;
        }

        @Override
        public CompletableFuture<Object> send(int command) {
            sent.add(command);
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            int number = sent.size();
            full.countDown();
            return CompletableFuture.supplyAsync(() -> {
                awaitFull();
                open.decrementAndGet();
                if (number == failing) {
                    throw new Failure();
                }
                return command;
            });
        }

        private void awaitFull() {
            try {
                assertTrue(full.await(10, TimeUnit.SECONDS));
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    @Test
    void aSlidingWindowKeepsItsDepthInFlightAndIsEmptyBetweenParts() throws Exception {
        Replies replies = new Replies(5, 0);
        try (Slices slices = slices(List.of(new Lane(null, replies)), 5)) {
            slices.work(slice(20, 20));
            assertEquals(5, replies.most.get());
            assertEquals(0, replies.open.get());
            assertEquals(replies.sent.size(), sum(slices.leadInUnits()) + sum(slices.measuredUnits()));
            assertTrue(sum(slices.leadInUnits()) >= 5);
            assertTrue(sum(slices.measuredUnits()) >= 5);
            assertEquals(List.of(3, 4, 5, 6, 7), replies.sent.subList(0, 5));
        }
    }

    @Test
    void aCommandThatFailsInASlidingWindowIsCounted() throws Exception {
        Replies replies = new Replies(3, 7);
        try (Slices slices = slices(List.of(new Lane(null, replies)), 3)) {
            slices.work(slice(50, 0));
            assertEquals(Map.of("Failure", 1L), slices.failures().get(0).errors());
            assertEquals(replies.sent.size() - 1, sum(slices.measuredUnits()));
        }
    }

    @Test
    void aSlidingWindowInWhichEverythingFailsIsLost() {
        Flight flight = command -> CompletableFuture.failedFuture(new Failure());
        try (Slices slices = slices(List.of(new Lane(null, flight)), 3)) {
            assertThrows(Lost.class, () -> slices.work(slice(60_000, 0)));
        }
    }
}
