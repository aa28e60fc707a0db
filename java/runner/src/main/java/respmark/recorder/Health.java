package respmark.recorder;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import respmark.contract.Event;

/** The JVM's counters: collections, pauses (to the millisecond, as reported), allocated bytes. */
public record Health(long collections, long pauseNs, long allocatedBytes) {
    private static final long NS_PER_MS = 1_000_000;
    private static final long BYTES_PER_KIB = 1024;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String PEAK = "VmHWM:";
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Method TOTAL_ALLOCATED = totalAllocated();

    public static Health now() {
        long collections = 0;
        long pauseMs = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(collector.getCollectionCount(), 0);
            pauseMs += Math.max(collector.getCollectionTime(), 0);
        }
        return new Health(collections, pauseMs * NS_PER_MS, allocated());
    }

    /** What was used since `earlier`. */
    public Health since(Health earlier) {
        return new Health(
                collections - earlier.collections,
                pauseNs - earlier.pauseNs,
                Math.max(allocatedBytes - earlier.allocatedBytes, 0));
    }

    /** Under the contract's names. */
    public Map<String, Object> toJson() {
        return Event.ordered("gc_collections", collections, "gc_pause_ns", pauseNs, "allocated_bytes", allocatedBytes);
    }

    /** Time since the JVM started. */
    public static long uptimeNs() {
        return ManagementFactory.getRuntimeMXBean().getUptime() * NS_PER_MS;
    }

    /** The peak resident set of this process; 0 if the system does not report it. */
    public static long peakMemoryBytes() {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(PEAK))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KIB)
                    .findFirst()
                    .orElse(0);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /**
     * Since JDK 21 the JVM adds up all threads, including ended ones; on older JDKs, live threads
     * are added up here.
     */
    private static long allocated() {
        if (TOTAL_ALLOCATED == null) {
            return LongStream.of(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
                    .filter(bytes -> bytes > 0)
                    .sum();
        }
        try {
            return (long) TOTAL_ALLOCATED.invoke(THREADS);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Method totalAllocated() {
        try {
            return ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        } catch (NoSuchMethodException error) {
            return null;
        }
    }
}
