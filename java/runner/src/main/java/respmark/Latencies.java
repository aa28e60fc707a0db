package respmark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The latencies that all walkers have kept since they were last asked for, as little-endian float64, slice by slice. */
final class Latencies {
    private final ByteBuffer storage;
    private final List<Long> counts = new ArrayList<>();
    private long dropped;

    Latencies(int room) {
        storage = ByteBuffer.allocate(room * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Adds those of a slice, which is over; `units` is how many each walker completed. */
    void add(List<Walker> walkers, long[] units) {
        long before = storage.position();
        walkers.forEach(walker -> walker.store(storage));
        long kept = (storage.position() - before) / Double.BYTES;
        counts.add(kept);
        dropped += Arrays.stream(units).sum() - kept;
    }

    /** Hands everything over, in the contract's form, and empties the storage. */
    Map<String, Object> take() {
        byte[] latencies = Arrays.copyOf(storage.array(), storage.position());
        Map<String, Object> all = Map.of("latencies", latencies, "counts", List.copyOf(counts), "dropped", dropped);
        storage.clear();
        counts.clear();
        dropped = 0;
        return all;
    }
}
