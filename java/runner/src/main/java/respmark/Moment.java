package respmark;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/**
 * CLOCK_MONOTONIC, which is Java's clock on Linux, and the process's CPU time from getrusage, to
 * the microsecond: the JDK's own figure has ticks of 10 ms, a tenth of a slice.
 */
final class Moment {
    /** More bytes than any system's struct rusage has. */
    private static final Memory USAGE = new Memory(512);

    static {
        Native.register("c");
    }

    private Moment() {}

    private static native int getrusage(int who, Pointer usage);

    /** Now, in the contract's form. */
    static long[] now() {
        long now = System.nanoTime();
        getrusage(0, USAGE);
        return new long[] {now, timeNs(0), timeNs(2L * Long.BYTES)};
    }

    /** A timeval: seconds, then microseconds. */
    private static long timeNs(long offset) {
        return USAGE.getLong(offset) * 1_000_000_000 + USAGE.getLong(offset + Long.BYTES) * 1_000;
    }
}
