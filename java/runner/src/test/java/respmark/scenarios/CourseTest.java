package respmark.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import respmark.clients.Flight;
import respmark.clients.Lane;
import respmark.clients.Unit;
import respmark.recorder.Tally;
import respmark.recorder.Window;

class CourseTest {
    private static final int LENGTH = 10;
    private static final Walk WALK = new Walk(3, 1, LENGTH);

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

    private static List<Tally> run(List<Lane> lanes, int depth, double seconds) throws Exception {
        List<Walk> walks = Collections.nCopies(lanes.size(), WALK);
        try (Course course = new Course(lanes, walks, depth, Walkers.PLATFORM)) {
            return course.arm(new Window(seconds), error -> error instanceof Failure)
                    .go((elapsedNs, units) -> {});
        }
    }

    @Test
    void unitsFollowEachOtherThroughTheWorkload() throws Exception {
        List<Integer> firsts = new ArrayList<>();
        Tally tally = run(List.of(lane(firsts::add)), 1, 0.01).get(0);
        assertEquals(firsts.size(), tally.units());
        assertEquals(IntStream.range(0, 25).map(i -> (3 + i) % LENGTH).boxed().toList(), firsts.subList(0, 25));
    }

    @Test
    void everyWalkerHasATallyOfItsOwn() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        List<Lane> lanes = Collections.nCopies(4, lane(first -> performed.incrementAndGet()));
        List<Tally> tallies = run(lanes, 1, 0.01);
        assertEquals(4, tallies.size());
        assertEquals(performed.get(), tallies.stream().mapToLong(Tally::units).sum());
    }

    @Test
    void aUnitThatFailsIsCountedAndTheWalkGoesOn() throws Exception {
        AtomicInteger performed = new AtomicInteger();
        Lane lane = lane(first -> {
            if (performed.incrementAndGet() == 2) {
                throw new Failure();
            }
        });
        Tally tally = run(List.of(lane), 1, 0.01).get(0);
        assertEquals(Map.of("Failure", 1L), tally.errors());
        assertEquals(performed.get() - 1, tally.units());
    }

    @Test
    void tooManyFailuresInARowLoseTheTarget() {
        Lane lane = lane(first -> {
            throw new Failure();
        });
        Lost lost = assertThrows(Lost.class, () -> run(List.of(lane), 1, 60));
        assertEquals("25 units in a row failed", lost.getMessage());
        assertTrue(lost.getCause() instanceof Failure);
    }

    @Test
    void aFaultThatIsNoFailureOfAUnitEndsTheTrial() {
        IllegalArgumentException fault = new IllegalArgumentException();
        Lane lane = lane(first -> {
            throw fault;
        });
        assertSame(fault, assertThrows(IllegalArgumentException.class, () -> run(List.of(lane), 1, 60)));
    }

    @Test
    void progressIsToldOnceASecond() throws Exception {
        List<Long> seconds = new ArrayList<>();
        try (Course course = new Course(List.of(lane(first -> {})), List.of(WALK), 1, Walkers.PLATFORM)) {
            course.arm(new Window(1.2), error -> false).go((elapsedNs, units) -> {
                seconds.add(elapsedNs / Window.SECOND_NS);
                assertTrue(units > 0);
            });
        }
        assertEquals(List.of(1L), seconds);
    }

    @Test
    void aWalkerKeepsItsThreadFromOneWindowToTheNext() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<Lane> lanes = Collections.nCopies(3, lane(first -> threads.add(Thread.currentThread())));
        try (Course course = new Course(lanes, Collections.nCopies(3, WALK), 1, Walkers.PLATFORM)) {
            for (int window = 0; window < 4; window++) {
                course.arm(new Window(0.01), error -> false).go((elapsedNs, units) -> {});
                assertEquals(3, threads.size());
            }
        }
    }

    @Test
    void closingEndsTheWalkersThreads() throws Exception {
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        Course course = new Course(
                List.of(lane(first -> threads.add(Thread.currentThread()))), List.of(WALK), 1, Walkers.PLATFORM);
        course.arm(new Window(0.01), error -> false).go((elapsedNs, units) -> {});
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
    void aSlidingWindowKeepsItsDepthInFlight() throws Exception {
        Replies replies = new Replies(5, 0);
        Tally tally = run(List.of(new Lane(null, replies)), 5, 0.05).get(0);
        assertEquals(5, replies.most.get());
        assertEquals(0, replies.open.get());
        assertEquals(replies.sent.size(), tally.units());
        assertEquals(List.of(3, 4, 5, 6, 7), replies.sent.subList(0, 5));
    }

    @Test
    void aCommandThatFailsInASlidingWindowIsCounted() throws Exception {
        Replies replies = new Replies(3, 7);
        Tally tally = run(List.of(new Lane(null, replies)), 3, 0.05).get(0);
        assertEquals(Map.of("Failure", 1L), tally.errors());
        assertEquals(replies.sent.size() - 1, tally.units());
        assertFalse(tally.isFailing());
    }

    @Test
    void aSlidingWindowInWhichEverythingFailsIsLost() {
        Flight flight = command -> CompletableFuture.failedFuture(new Failure());
        assertThrows(Lost.class, () -> run(List.of(new Lane(null, flight)), 3, 60));
    }
}
