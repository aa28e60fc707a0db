package respmark;

import com.fasterxml.jackson.databind.JsonNode;

/** A line: a trial, which has an adapter, or one of the others, which are null in it. */
record Order(String adapter, JsonNode connect, Echo echo, Work work, JsonNode samples, KeepGoing keepGoing, Bare bare) {
    /** Perform units of the first walker until this many commands are done or replies have this many bytes. */
    record Echo(int commands, long bytes) {}

    /** One slice. */
    record Work(long first, long leadInNs, long ns, boolean keep, Arrivals arrivals) {}

    /** When the units of an open loop are due; null in a closed one. Who waits sleeps until `awakeNs` before. */
    record Arrivals(String file, long at, long drainNs, Long awakeNs) {}

    /**
     * Perform what is due, through errors, until the file `enough` is there, or this moment; the log has each unit's begin
     * and end.
     */
    record KeepGoing(Due due, String log, String enough, long until) {}

    /** A file of int64: so many ns after `at` the units of this process are due. */
    record Due(String file, long at) {}

    /** The plain loop that the measured one is compared with. */
    record Bare(long first, long ns) {}
}
