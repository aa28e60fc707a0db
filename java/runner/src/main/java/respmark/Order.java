package respmark;

import com.fasterxml.jackson.databind.JsonNode;

/** A line: a trial, which has an adapter, or one of the others, which are null in it. */
record Order(String adapter, JsonNode connect, Echo echo, Work work, JsonNode samples, Bare bare) {
    /** Perform units of the first walker until this many commands are done or replies have this many bytes. */
    record Echo(int commands, long bytes) {}

    /** One slice. */
    record Work(long first, long leadInNs, long ns, boolean keep, Arrivals arrivals) {}

    /** When the units of an open loop are due; null in a closed one. Who waits sleeps until `awakeNs` before. */
    record Arrivals(String file, long at, long drainNs, Long awakeNs) {}

    /** The plain loop that the measured one is compared with. */
    record Bare(long first, long ns) {}
}
