package respmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WalkerTest {
    private static final int COUNT = 10;
    private static final long SLICE_NS = 5_000_000;

    private static Walker.Place place(int step, int room) {
        return new Walker.Place(COUNT, step, room, false);
    }

    private static Order.Work order(long leadInNs, int... first) {
        return new Order.Work(first, leadInNs, SLICE_NS, true, null);
    }

    /** A walker begins where it is to, takes whole units, cyclically, and counts what it performed. */
    @Test
    void walksThroughTheCommands() throws Exception {
        List<Integer> seen = new ArrayList<>();
        Walker walker = new Walker(place(3, 100), seen::add);
        Worked worked = work(List.of(walker), order(0, 2));
        assertEquals(List.of(2, 5, 8, 1, 4), seen.subList(0, 5));
        assertEquals(seen.size(), worked.measured[0]);
        assertEquals(0, worked.leadIn[0]);
    }

    /** Lead-in and measured part are counted apart, and lie between the three moments. */
    @Test
    void countsLeadInApart() throws Exception {
        List<Integer> seen = new ArrayList<>();
        Worked worked = work(List.of(new Walker(place(1, 100), seen::add)), order(SLICE_NS, 0));
        assertTrue(worked.leadIn[0] > 0);
        assertEquals(seen.size(), worked.leadIn[0] + worked.measured[0]);
        assertTrue(worked.measuredFrom[0] - worked.started[0] >= SLICE_NS);
        assertTrue(worked.ended[0] - worked.measuredFrom[0] >= SLICE_NS);
        assertTrue(worked.ended[1] >= worked.started[1]);
    }

    /** A failed unit is counted by its class, is no unit, and does not end the loop. */
    @Test
    void countsErrors() throws Exception {
        Walker walker = new Walker(place(1, 100), first -> {
            if (first % 2 == 0) {
                throw new IllegalArgumentException("no " + first);
            }
            return first;
        });
        Worked worked = work(List.of(walker), order(0, 0));
        long failed = worked.errors.get("IllegalArgumentException");
        assertTrue(failed > 0);
        assertTrue(Math.abs(failed - worked.measured[0]) <= 1);
        assertEquals("no 0", worked.firstError);
    }

    /** Walkers have counts of their own. */
    @Test
    void walkersShareNothing() throws Exception {
        int walkers = 4;
        List<List<Integer>> seen = new ArrayList<>();
        List<Walker> all = IntStream.range(0, walkers)
                .mapToObj(i -> {
                    List<Integer> own = new ArrayList<>();
                    seen.add(own);
                    return new Walker(place(1, 100), own::add);
                })
                .toList();
        Worked worked = work(all, order(0, 0, 1, 2, 3));
        for (int i = 0; i < walkers; i++) {
            assertEquals(i, seen.get(i).get(0));
            assertEquals(seen.get(i).size(), worked.measured[i]);
        }
    }

    /** Latencies that do not fit are counted as dropped, and taking the others makes room. */
    @Test
    void latenciesOverflow() throws Exception {
        Walker walker = new Walker(place(1, 4), first -> first);
        Worked worked = work(List.of(walker), order(0, 0));
        Samples samples = new Samples(6, false);
        samples.add(List.of(walker));
        samples.add(List.of(walker));
        Map<String, Object> taken = samples.take();
        assertEquals(List.of(4L, 2L), taken.get("counts"));
        assertEquals(6 * Double.BYTES, ((byte[]) taken.get("latencies")).length);
        assertEquals(2 * worked.measured[0] - 6, taken.get("dropped"));
        assertEquals(List.of(), samples.take().get("counts"));
    }

    /** One slice, on threads that have ended afterwards. */
    static Worked work(List<Walker> walkers, Order.Work order) throws Exception {
        return work(walkers, order, null);
    }

    /** The same, of an open loop. */
    static Worked work(List<Walker> walkers, Order.Work order, Arrivals arrivals) throws Exception {
        Slices slices = new Slices(Slices.threads(false));
        slices.start(walkers);
        Worked worked = slices.work(order, arrivals);
        slices.close();
        return worked;
    }
}
