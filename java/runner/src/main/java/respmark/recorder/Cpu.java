package respmark.recorder;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time of this process, all threads.
 *
 * <p>It comes from getrusage, to the microsecond, as in the other runners. What the JDK offers counts ticks of 10 ms, a
 * percent of a short window; where getrusage cannot be called, /proc/self/stat with the same ticks takes its place.
 */
public record Cpu(long userNs, long systemNs) {
    private static final Clock CLOCK = clock();

    /** What reads the CPU time. */
    interface Clock {
        Cpu now();

        String name();
    }

    public static Cpu now() {
        return CLOCK.now();
    }

    /** Where the times come from, for the result. */
    public static String source() {
        return CLOCK.name();
    }

    /** What was used since then. */
    public Cpu since(Cpu earlier) {
        return new Cpu(userNs - earlier.userNs, systemNs - earlier.systemNs);
    }

    private static Clock clock() {
        try {
            return new ResourceUsage();
        } catch (LinkageError error) {
            return new Ticks();
        }
    }

    /** The C library's getrusage(2). */
    static final class ResourceUsage implements Clock {
        private static final int SELF = 0;
        /** More than any system's struct rusage has. */
        private static final int STRUCT_BYTES = 512;

        private static final long NS_PER_S = 1_000_000_000;
        private static final long NS_PER_US = 1_000;

        private final Memory usage = new Memory(STRUCT_BYTES);

        static {
            Native.register(ResourceUsage.class, "c");
        }

        private static native int getrusage(int who, Pointer usage);

        @Override
        public Cpu now() {
            getrusage(SELF, usage);
            return new Cpu(time(0), time(2L * Long.BYTES));
        }

        /** A timeval: seconds, then microseconds. */
        private long time(long offset) {
            int microseconds = usage.getInt(offset + Long.BYTES);
            return usage.getLong(offset) * NS_PER_S + microseconds * NS_PER_US;
        }

        @Override
        public String name() {
            return "getrusage";
        }
    }

    /** Linux's /proc/self/stat. */
    static final class Ticks implements Clock {
        private static final Path STAT = Path.of("/proc/self/stat");
        private static final long NS_PER_TICK = 10_000_000;
        /** Positions of utime and stime behind the process's name, which may hold spaces. */
        private static final int USER = 11;

        private static final int SYSTEM = 12;

        @Override
        public Cpu now() {
            try {
                String stat = Files.readString(STAT);
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                return new Cpu(
                        Long.parseLong(fields[USER]) * NS_PER_TICK, Long.parseLong(fields[SYSTEM]) * NS_PER_TICK);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public String name() {
            return "/proc/self/stat, ticks of 10 ms";
        }
    }
}
