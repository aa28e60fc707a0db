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
import respmark.recorder.Tally;

class CourseTest {
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

    private static Course course(List<Lane> lanes, int depth) {
        List<Walk> walks = IntStream.range(0, lanes.size())
                .mapToObj(i -> new Walk(i, lanes.size(), 1, LENGTH))
                .toList();
        List<Tally> tallies =
                lanes.stream().map(lane -> new Tally(new long[1 << 20])).toList();
        return new Course(lanes, walks, tallies, depth, ThreadKind.PLATFORM, error -> error instanceof Failure);
    }

    private static Course course(Lane lane) {
        return course(List.of(lane), 1);
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
        try (Course course = course(lane(firsts::add))) {
            course.work(slice(5, 5));
            assertEquals(firsts.size(), sum(course.leadInUnits()) + sum(course.measuredUnits()));
            assertTrue(sum(course.leadInUnits()) > 0);
            assertTrue(sum(course.measuredUnits()) > 0);
        }
        for (int i = 0; i < firsts.size(); i++) {
            assertEquals((FIRST + i) % LENGTH, firsts.get(i));
        }
    }

    @Test
    void everySliceBeginsWhereItsOrderSays() throws Exception {
        List<Integer> firsts = new ArrayList<>();
        try (Course course = course(lane(firsts::add))) {
            for (int first : List.of(2, 9, 12)) {
                int before = firsts.size();
                course.work(new Order.Slice(1, 1, 0, first, false));
                assertEquals(first % LENGTH, firsts.get(before));
                assertEquals(first % LENGTH, course.first(0));
            }
        }
    }

    @Test
    void withoutALeadInItsWorkIsNothing() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        try (Course course = course(lane(first -> performed.incrementAndGet()))) {
            course.work(slice(5, 5));
            performed.set(0);
            course.work(slice(5, 0));
            assertEquals(0, sum(course.leadInUnits()));
            assertEquals(performed.get(), sum(course.measuredUnits()));
        }
    }

    @Test
    void theMomentsComeInTurnAndPartsLastAsLongAsOrdered() throws Exception {
        try (Course course = course(Collections.nCopies(3, lane(first -> {})), 1)) {
            long before = System.nanoTime();
            course.work(slice(6, 4));
            assertTrue(before <= course.started().atNs());
            assertTrue(course.measuredFrom().atNs() - course.started().atNs() >= 4 * MS);
            assertTrue(course.ended().atNs() - course.measuredFrom().atNs() >= 6 * MS);
            assertTrue(course.ended().atNs() <= System.nanoTime());
        }
    }

    @Test
    void everyWalkerHasATallyAndABeginningOfItsOwn() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        try (Course course = course(Collections.nCopies(4, lane(first -> performed.incrementAndGet())), 1)) {
            course.work(slice(5, 5));
            assertEquals(
                    performed.get(),
                    course.tallies().stream().mapToLong(Tally::units).sum());
            assertEquals(
                    List.of(3, 5, 8, 0),
                    IntStream.range(0, 4).mapToObj(course::first).toList());
        }
    }

    @Test
    void onlySamplesOfMeasuredPartsThatAreKeptStay() throws Exception {
        try (Course course = course(lane(first -> {}))) {
            course.work(new Order.Slice(1, MS, MS, 0, false));
            course.work(new Order.Slice(2, MS, MS, 0, true));
            long kept = sum(course.measuredUnits());
            course.work(new Order.Slice(3, MS, MS, 0, false));
            long counted = course.tallies().get(0).fold().pairs().stream()
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
        try (Course course = course(lane)) {
            for (int i = 0; i < 20; i++) {
                performed.set(0);
                course.work(slice(1, 5));
                int leadIn = (int) Math.min(sum(course.leadInUnits()), allocated.length);
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
        try (Course course = course(lane)) {
            course.work(slice(5, 5));
            assertEquals(Map.of("Failure", 1L), course.tallies().get(0).errors());
            assertEquals(performed.get() - 1, sum(course.leadInUnits()) + sum(course.measuredUnits()));
            course.work(slice(1, 1));
            assertEquals(Map.of(), course.tallies().get(0).errors());
        }
    }

    @Test
    void tooManyFailuresInARowLoseTheTarget() {
        Lane lane = lane(first -> {
            throw new Failure();
        });
        try (Course course = course(lane)) {
            Lost lost = assertThrows(Lost.class, () -> course.work(slice(60_000, 0)));
            assertEquals("25 units in a row failed", lost.getMessage());
            assertTrue(lost.getCause() instanceof Failure);
        }
    }

    @Test
    void failuresInARowAreCountedFromOneSliceToTheNext() throws Exception {
        Lane lane = lane(first -> {
            throw new Failure();
        });
        try (Course course = course(lane)) {
            Order.Slice ofOneUnit = new Order.Slice(1, 1, 0, 0, false);
            for (int i = 1; i < Limits.FAILURES_IN_A_ROW; i++) {
                course.work(ofOneUnit);
            }
            assertThrows(Lost.class, () -> course.work(ofOneUnit));
        }
    }

    @Test
    void aFaultThatIsNoFailureOfAUnitEndsTheTrial() {
        IllegalArgumentException fault = new IllegalArgumentException();
        Lane lane = lane(first -> {
            throw fault;
        });
        try (Course course = course(lane)) {
            assertSame(fault, assertThrows(IllegalArgumentException.class, () -> course.work(slice(60_000, 0))));
        }
    }

    @Test
    void aWalkerKeepsItsThreadAndSleepsBetweenSlices() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (Course course = course(Collections.nCopies(3, lane(first -> threads.add(Thread.currentThread()))), 1)) {
            for (int i = 0; i < 4; i++) {
                course.work(slice(5, 5));
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
        try (Course course = course(Collections.nCopies(2, lane(first -> {})), 1)) {
            assertEquals(2, course.tallies().size());
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
        Course course = course(lane(first -> threads.add(Thread.currentThread())));
        course.work(slice(1, 0));
        assertTrue(threads.get(0).isAlive());
        course.close();
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
        try (Course course = course(List.of(new Lane(null, replies)), 5)) {
            course.work(slice(20, 20));
            assertEquals(5, replies.most.get());
            assertEquals(0, replies.open.get());
            assertEquals(replies.sent.size(), sum(course.leadInUnits()) + sum(course.measuredUnits()));
            assertTrue(sum(course.leadInUnits()) >= 5);
            assertTrue(sum(course.measuredUnits()) >= 5);
            assertEquals(List.of(3, 4, 5, 6, 7), replies.sent.subList(0, 5));
        }
    }

    @Test
    void aCommandThatFailsInASlidingWindowIsCounted() throws Exception {
        Replies replies = new Replies(3, 7);
        try (Course course = course(List.of(new Lane(null, replies)), 3)) {
            course.work(slice(50, 0));
            assertEquals(Map.of("Failure", 1L), course.tallies().get(0).errors());
            assertEquals(replies.sent.size() - 1, sum(course.measuredUnits()));
        }
    }

    @Test
    void aSlidingWindowInWhichEverythingFailsIsLost() {
        Flight flight = command -> CompletableFuture.failedFuture(new Failure());
        try (Course course = course(List.of(new Lane(null, flight)), 3)) {
            assertThrows(Lost.class, () -> course.work(slice(60_000, 0)));
        }
    }
}
