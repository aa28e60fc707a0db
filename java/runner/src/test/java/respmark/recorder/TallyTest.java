package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final long MS = 1_000_000;

    private final Window window = new Window(0.1);
    private final Tally tally = new Tally(new long[4], window);

    TallyTest() {
        window.open();
        tally.begin();
    }

    private long at(long ms) {
        return window.startNs() + ms * MS;
    }

    @Test
    void halfAndEndAreTakenWhenAUnitEndsThere() {
        tally.add(1);
        assertEquals(at(100), tally.reached(at(60)));
        tally.add(1);
        assertEquals(Tally.OVER, tally.reached(at(130)));
        assertEquals(new Tally.Half(1, 60 * MS), tally.half());
        assertEquals(at(130), tally.endedNs());
        assertEquals(2, tally.units());
    }

    @Test
    void aUnitThatLastsThroughTheSecondHalfLeavesNoHalf() {
        tally.add(1);
        tally.add(1);
        tally.reached(at(130));
        assertNull(tally.half());
        assertEquals(1, tally.unitsBeforeLast());
    }

    @Test
    void aStorageThatIsFullIsFolded() {
        for (int i = 0; i < 11; i++) {
            tally.add(i);
        }
        assertEquals(11, tally.units());
        tally.fold();
        assertEquals(11, tally.units());
        assertEquals(11, tally.histogram().pairs().size());
    }

    @Test
    void failuresAreCountedByClassAndAreNoUnits() {
        assertFalse(tally.failed(new IllegalStateException("first"), at(1)));
        assertFalse(tally.failed(new IllegalArgumentException("second"), at(2)));
        assertTrue(tally.isFailing());
        tally.add(1);
        assertFalse(tally.isFailing());
        assertEquals(Map.of("IllegalStateException", 1L, "IllegalArgumentException", 1L), tally.errors());
        assertEquals("first", tally.firstError().getMessage());
        assertEquals(1, tally.units());
    }

    @Test
    void tooManyFailuresInARowMeanThatTheTargetIsLost() {
        for (int i = 1; i < Tally.FAILURES_IN_A_ROW; i++) {
            assertFalse(tally.failed(new IllegalStateException(), at(1)));
        }
        assertTrue(tally.failed(new IllegalStateException(), at(1)));
    }

    @Test
    void aSuccessInBetweenStartsTheCountAnew() {
        for (int i = 0; i < 3 * Tally.FAILURES_IN_A_ROW; i++) {
            assertFalse(tally.failed(new IllegalStateException(), at(1)));
            tally.add(1);
        }
    }

    @Test
    void failuresForTooLongMeanTheSame() {
        assertFalse(tally.failed(new IllegalStateException(), at(0)));
        assertTrue(tally.failed(new IllegalStateException(), at(5_000)));
    }
}
