package respmark.clients;

import java.util.List;
import java.util.stream.Stream;
import respmark.contract.Description.Difference;
import respmark.contract.Limits;
import respmark.contract.Scenario;

/** Settings of both libraries, and of the JVM the harness starts, that are not as installed. */
public final class Differences {
    private static final List<Difference> COMMON = List.of(
            new Difference(
                    "maxWait of the pool",
                    "no limit",
                    Limits.POOL_WAIT.toSeconds() + " s",
                    "one limit for every library's pool",
                    List.of(Scenario.POOL)),
            new Difference(
                    "maxIdle of the pool",
                    "8",
                    "max_total, where the trial names no max_idle",
                    "connections are kept, so that none is opened in a slice",
                    List.of(Scenario.POOL)),
            new Difference(
                    "-Xms, -Xmx, -Xmn",
                    "from the machine's memory",
                    "256 MiB, 1 GiB, 128 MiB",
                    "the same heap on every machine",
                    List.of()),
            new Difference(
                    "-XX:+UseG1GC",
                    "Serial with one processor or less than 2 GB, else G1",
                    "G1",
                    "the same collector on every machine: what a server has",
                    List.of()));

    private Differences() {}

    /** The library's own differences, then the common ones. */
    public static List<Difference> with(List<Difference> own) {
        return Stream.concat(own.stream(), COMMON.stream()).toList();
    }
}
