package respmark.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Limits;
import respmark.recorder.Samples;

class FailuresTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final Samples samples = new Samples(new long[1 << 10]);
    private final Failures failures = new Failures(error -> error instanceof IllegalStateException, samples);

    @Test
    void onlyWhatUnitsRaiseConcernsThem() {
        assertTrue(failures.concerns(new IllegalStateException()));
        assertFalse(failures.concerns(new IllegalArgumentException()));
    }

    @Test
    void failuresAreCountedByClassAndAreNoUnits() {
        assertFalse(failures.count(new IllegalStateException("first"), 1));
        assertFalse(failures.count(new IllegalArgumentException("second"), 1));
        samples.add(1);
        assertEquals(Map.of("IllegalStateException", 1L, "IllegalArgumentException", 1L), failures.errors());
        assertEquals("first", failures.firstError().getMessage());
        assertEquals(1, samples.units());
    }

    @Test
    void aSliceBeginsWithoutErrors() {
        failures.count(new IllegalStateException("of the slice before"), 1);
        failures.beginSlice();
        assertEquals(Map.of(), failures.errors());
        assertNull(failures.firstError());
    }

    @Test
    void tooManyFailuresInARowMeanThatTheTargetIsLost() {
        for (int i = 1; i < Limits.FAILURES_IN_A_ROW; i++) {
            assertFalse(failures.count(new IllegalStateException(), 1));
            failures.beginSlice();
        }
        assertTrue(failures.count(new IllegalStateException(), 1));
    }

    @Test
    void aSuccessInBetweenStartsTheCountAnew() {
        for (int i = 0; i < 3 * Limits.FAILURES_IN_A_ROW; i++) {
            assertFalse(failures.count(new IllegalStateException(), 4 * SECOND_NS));
            samples.add(1);
        }
    }

    @Test
    void failuresForTooLongMeanTheSame() {
        assertFalse(failures.count(new IllegalStateException(), 4 * SECOND_NS));
        assertFalse(failures.count(new IllegalStateException(), 4 * SECOND_NS));
        assertTrue(failures.count(new IllegalStateException(), 4 * SECOND_NS));
    }
}
