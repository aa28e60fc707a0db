package respmark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What all walkers have kept since it was last asked for, as little-endian float64, slice by slice. */
final class Samples {
    private static final List<String> NAMES = List.of("latencies", "due", "lags");

    private final List<ByteBuffer> columns;
    private final List<Long> counts = new ArrayList<>();
    private long dropped;

    /** An open loop has three numbers a unit. */
    Samples(int room, boolean isOpen) {
        columns = NAMES.stream()
                .limit(isOpen ? 3 : 1)
                .map(name -> ByteBuffer.allocate(room * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN))
                .toList();
    }

    /** Adds those of a slice, which is over. */
    void add(List<Walker> walkers) {
        long before = columns.get(0).position();
        walkers.forEach(walker -> walker.store(columns));
        long kept = (columns.get(0).position() - before) / Double.BYTES;
        counts.add(kept);
        dropped += walkers.stream().mapToLong(Walker::sampled).sum() - kept;
    }

    /** Hands everything over, in the contract's form, and empties the storage. */
    Map<String, Object> take() {
        Map<String, Object> all = new HashMap<>(Map.of("counts", List.copyOf(counts), "dropped", dropped));
        for (int i = 0; i < columns.size(); i++) {
            ByteBuffer column = columns.get(i);
            byte[] kept = new byte[column.flip().limit()];
            column.get(kept).clear();
            all.put(NAMES.get(i), kept);
        }
        counts.clear();
        dropped = 0;
        return all;
    }
}
