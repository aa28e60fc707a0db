package respmark.bare;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** CPU time of this process, from the C library's getrusage(2). */
final class Cpu {
    private static final int STRUCT_BYTES = 512;
    private static final long NS_PER_S = 1_000_000_000;
    private static final long NS_PER_US = 1_000;

    static {
        Native.register(Cpu.class, "c");
    }

    private Cpu() {}

    private static native int getrusage(int who, Pointer usage);

    static long nowNs() {
        try (Memory usage = new Memory(STRUCT_BYTES)) {
            getrusage(0, usage);
            return timeNs(usage, 0) + timeNs(usage, 2L * Long.BYTES);
        }
    }

    private static long timeNs(Pointer usage, long offset) {
        return usage.getLong(offset) * NS_PER_S + usage.getInt(offset + Long.BYTES) * NS_PER_US;
    }
}
