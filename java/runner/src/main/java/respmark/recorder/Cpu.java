package respmark.recorder;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time of this process since it started, for all threads; read repeatedly into the same object.
 *
 * <p>It comes from getrusage, to the microsecond, as in the other runners. The JDK's own figures
 * count ticks of 10 ms, a tenth of a slice. If getrusage cannot be called, /proc/self/stat is read
 * instead, with the same ticks.
 */
public final class Cpu {
    private static final Source SOURCE = source();

    private long userNs;
    private long systemNs;

    /** A source of CPU times. */
    interface Source {
        void read(Cpu into);

        String name();
    }

    /** Reads the current times. */
    public void read() {
        SOURCE.read(this);
    }

    public long userNs() {
        return userNs;
    }

    public long systemNs() {
        return systemNs;
    }

    /** Where the times come from, for the result. */
    public static String sourceName() {
        return SOURCE.name();
    }

    private static Source source() {
        try {
            return new ResourceUsage();
        } catch (LinkageError error) {
            return new Ticks();
        }
    }

    /** The C library's getrusage(2). */
    static final class ResourceUsage implements Source {
        private static final int SELF = 0;
        /** More bytes than any system's struct rusage has. */
        private static final int STRUCT_BYTES = 512;

        private static final long NS_PER_S = 1_000_000_000;
        private static final long NS_PER_US = 1_000;

        private final Memory usage = new Memory(STRUCT_BYTES);

        static {
            Native.register(ResourceUsage.class, "c");
        }

        private static native int getrusage(int who, Pointer usage);

        @Override
        public void read(Cpu into) {
            getrusage(SELF, usage);
            into.userNs = time(0);
            into.systemNs = time(2L * Long.BYTES);
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
    static final class Ticks implements Source {
        private static final Path STAT = Path.of("/proc/self/stat");
        private static final long NS_PER_TICK = 10_000_000;
        /** Positions of utime and stime after the process's name, which may contain spaces. */
        private static final int USER = 11;

        private static final int SYSTEM = 12;

        @Override
        public void read(Cpu into) {
            try {
                String stat = Files.readString(STAT);
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                into.userNs = Long.parseLong(fields[USER]) * NS_PER_TICK;
                into.systemNs = Long.parseLong(fields[SYSTEM]) * NS_PER_TICK;
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
