package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Limits;

class TallyTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final long[] storage = new long[8];
    private final Tally tally = new Tally(storage);

    private void part(boolean isKept, int samples) {
        tally.begin(isKept);
        for (int i = 1; i <= samples; i++) {
            tally.add(i);
        }
        tally.end();
    }

    private long kept() {
        return tally.fold().pairs().stream().mapToLong(pair -> pair[1]).sum();
    }

    @Test
    void samplesOfAPartThatIsNotKeptAreDropped() {
        part(true, 3);
        part(false, 4);
        part(true, 1);
        assertEquals(8, tally.units());
        assertEquals(4, kept());
    }

    @Test
    void aStorageThatIsNotHalfFullIsFoldedLater() {
        part(true, 4);
        tally.close();
        part(true, 1);
        assertEquals(1, storage[4]);
    }

    @Test
    void aStorageThatIsMoreThanHalfFullIsFoldedAfterTheSlice() {
        part(true, 5);
        tally.close();
        storage[0] = 0;
        part(true, 1);
        assertEquals(1, storage[0]);
        assertEquals(6, kept());
    }

    @Test
    void aPartThatOutgrowsTheStorageIsFoldedWithinAndLosesNothing() {
        part(true, 3);
        part(false, 100);
        part(true, 100);
        assertEquals(203, tally.units());
        assertEquals(103, kept());
    }

    @Test
    void failuresAreCountedByClassAndAreNoUnits() {
        assertFalse(tally.failed(new IllegalStateException("first"), 1));
        assertFalse(tally.failed(new IllegalArgumentException("second"), 1));
        tally.add(1);
        assertEquals(Map.of("IllegalStateException", 1L, "IllegalArgumentException", 1L), tally.errors());
        assertEquals("first", tally.firstError().getMessage());
        assertEquals(1, tally.units());
    }

    @Test
    void aSliceBeginsWithoutErrors() {
        tally.failed(new IllegalStateException("of the slice before"), 1);
        tally.open();
        assertEquals(Map.of(), tally.errors());
        assertNull(tally.firstError());
    }

    @Test
    void tooManyFailuresInARowMeanThatTheTargetIsLost() {
        for (int i = 1; i < Limits.FAILURES_IN_A_ROW; i++) {
            assertFalse(tally.failed(new IllegalStateException(), 1));
            tally.open();
        }
        assertTrue(tally.failed(new IllegalStateException(), 1));
    }

    @Test
    void aSuccessInBetweenStartsTheCountAnew() {
        for (int i = 0; i < 3 * Limits.FAILURES_IN_A_ROW; i++) {
            assertFalse(tally.failed(new IllegalStateException(), 4 * SECOND_NS));
            tally.add(1);
        }
    }

    @Test
    void failuresForTooLongMeanTheSame() {
        assertFalse(tally.failed(new IllegalStateException(), 4 * SECOND_NS));
        assertFalse(tally.failed(new IllegalStateException(), 4 * SECOND_NS));
        assertTrue(tally.failed(new IllegalStateException(), 4 * SECOND_NS));
    }
}
