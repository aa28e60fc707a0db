package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SamplesTest {
    private final long[] storage = new long[8];
    private final Samples samples = new Samples(storage);

    private void part(boolean isKept, int count) {
        samples.begin(isKept);
        for (int i = 1; i <= count; i++) {
            samples.add(i);
        }
        samples.end();
    }

    private long kept() {
        return samples.fold().pairs().stream().mapToLong(pair -> pair[1]).sum();
    }

    @Test
    void samplesOfAPartThatIsNotKeptAreDropped() {
        part(true, 3);
        part(false, 4);
        part(true, 1);
        assertEquals(8, samples.units());
        assertEquals(4, kept());
    }

    @Test
    void aStorageThatIsNotHalfFullIsFoldedLater() {
        part(true, 4);
        samples.endSlice();
        part(true, 1);
        assertEquals(1, storage[4]);
    }

    @Test
    void aStorageThatIsMoreThanHalfFullIsFoldedAfterTheSlice() {
        part(true, 5);
        samples.endSlice();
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
        assertEquals(203, samples.units());
        assertEquals(103, kept());
    }
}
