package respmark;

import com.fasterxml.jackson.databind.JsonNode;

/** A line after the trial: one of these, the others are null. */
record Order(JsonNode connect, Echo echo, Work work, JsonNode samples, Bare bare) {
    /** Perform units of the first walker until this many commands are done or replies have this many bytes. */
    record Echo(int commands, long bytes) {}

    /** One slice. */
    record Work(long first, long leadInNs, long ns, boolean keep) {}

    /** The plain loop that the measured one is compared with. */
    record Bare(long first, long ns) {}
}
