package respmark;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A line: a trial, which has an adapter, or one of the others, which are null in it. */
record Order(String adapter, JsonNode connect, Echo echo, Work work, JsonNode samples, KeepGoing keepGoing, Bare bare) {
    /** Perform units of the first walker, whose first command this is, until so many are done or replies have so many bytes. */
    record Echo(int first, int commands, long bytes) {}

    /** One slice; `first` has each walker's first command. */
    record Work(int[] first, long leadInNs, long ns, boolean keep, Arrivals arrivals) {}

    /**
     * A file of int64: so many ns after `at` the units of this process are due in an open loop, of which the first are the
     * lead-in's; null in a closed one. Who waits sleeps until `awakeNs` before.
     */
    record Arrivals(String file, long at, int leadIn, long drainNs, Long awakeNs) {}

    /**
     * Perform what is due, through errors, until the file `enough` is there, or this moment; the log has each unit's begin
     * and end.
     */
    record KeepGoing(int[] first, Due due, String log, String enough, long until) {}

    /** A file of int64: so many ns after `at` the units of this process are due. */
    record Due(String file, long at) {}

    /** The plain loop that the measured one is compared with. */
    record Bare(int first, long ns) {}

    /** Reads such a file. */
    static long[] due(String file) throws IOException {
        LongBuffer due = ByteBuffer.wrap(Files.readAllBytes(Path.of(file)))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer();
        long[] all = new long[due.remaining()];
        due.get(all);
        return all;
    }
}
