package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CpuTest {
    private static final long WORK_NS = 100_000_000;

    private static long total(Cpu cpu) {
        return cpu.userNs() + cpu.systemNs();
    }

    /** Both clocks count the same process: what one sees spent, the other sees, but for its ticks. */
    @Test
    void theTicksOfProcAgreeWithGetrusage() {
        Cpu.Ticks ticks = new Cpu.Ticks();
        Cpu before = Cpu.now();
        Cpu ticksBefore = ticks.now();
        long sum = 0;
        while (total(Cpu.now().since(before)) < WORK_NS) {
            sum += System.nanoTime() % 7;
        }
        assertTrue(sum >= 0);
        assertTrue(total(ticks.now().since(ticksBefore)) >= WORK_NS / 2);
        assertEquals("getrusage", Cpu.source());
    }
}
