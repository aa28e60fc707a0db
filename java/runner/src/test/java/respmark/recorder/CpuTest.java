package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CpuTest {
    private static final long WORK_NS = 100_000_000;

    private static long total(Cpu cpu) {
        return cpu.userNs() + cpu.systemNs();
    }

    private static long now() {
        Cpu cpu = new Cpu();
        cpu.read();
        return total(cpu);
    }

    private static long ticks() {
        Cpu cpu = new Cpu();
        new Cpu.Ticks().read(cpu);
        return total(cpu);
    }

    /** Both count the same process since its start: what one sees spent, the other sees, but for its ticks. */
    @Test
    void theTicksOfProcAgreeWithGetrusage() {
        long before = now();
        long ticksBefore = ticks();
        long sum = 0;
        while (now() - before < WORK_NS) {
            sum += System.nanoTime() % 7;
        }
        assertTrue(sum >= 0);
        assertTrue(ticks() - ticksBefore >= WORK_NS / 2);
        assertTrue(ticks() <= now() + WORK_NS / 2);
        assertEquals("getrusage", Cpu.sourceName());
    }
}
