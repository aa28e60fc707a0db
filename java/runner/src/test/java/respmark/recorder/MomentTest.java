package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import org.junit.jupiter.api.Test;
import respmark.contract.Event;

class MomentTest {
    private static final int CLOCK_MONOTONIC = 1;
    private static final long NS_PER_S = 1_000_000_000;

    private static long monotonicNs() {
        try (Memory time = new Memory(2L * Long.BYTES)) {
            NativeLibrary.getInstance("c").getFunction("clock_gettime").invokeInt(new Object[] {CLOCK_MONOTONIC, time});
            return time.getLong(0) * NS_PER_S + time.getLong(Long.BYTES);
        }
    }

    /** Whatever process of the machine reads it: the harness compares these moments with its own. */
    @Test
    void momentsAreOnClockMonotonic() {
        Moment begun = new Moment();
        Moment ended = new Moment();
        long before = monotonicNs();
        begun.open();
        long between = monotonicNs();
        ended.close();
        long after = monotonicNs();
        assertTrue(before <= begun.atNs() && begun.atNs() <= between);
        assertTrue(between <= ended.atNs() && ended.atNs() <= after);
    }

    @Test
    void aMomentHasTheCpuTimeOfTheWholeProcess() {
        Moment moment = new Moment();
        moment.open();
        Event.Moment first = moment.told();
        moment.close();
        Event.Moment second = moment.told();
        assertTrue(first.cpuUserNs() > 0);
        assertTrue(second.cpuUserNs() >= first.cpuUserNs());
        assertTrue(second.cpuSystemNs() >= first.cpuSystemNs());
    }
}
