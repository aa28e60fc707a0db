package respmark;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Map;

/** A trial's line, as the contract has it. A number that the scenario does not have is 0. */
public record Trial(
        String adapter,
        Map<String, Object> options,
        String scenario,
        Shape shape,
        String workload,
        int samples,
        boolean open,
        Server server) {

    /** Whether the option has this value. */
    public boolean is(String option, Object value) {
        return value.equals(options.get(option));
    }

    /** Whether nothing but the option `limits` may bound a wait: what the library has installed, or a second. */
    public boolean hasLimits() {
        return options.containsKey("limits");
    }

    /** Whether whatever waits does so for at most {@link Client#LIMIT}. */
    public boolean isLimited() {
        return is("limits", "1s") || isStrict();
    }

    /** Whether this also has what it takes to keep that limit. */
    public boolean isStrict() {
        return is("limits", "strict");
    }

    /** How many walkers this process has. */
    int walkers() {
        return Math.max(scenario.equals("batching") ? shape.connections : shape.threads, 1);
    }

    boolean isSliding() {
        return "sliding".equals(shape.window);
    }

    /** Whether a unit is a group of commands: a burst, a batch, a transaction. */
    boolean isGrouped() {
        return shape.depth > 0 && !isSliding();
    }

    int commandsPerUnit() {
        return isGrouped() ? shape.depth : 1;
    }

    /** The scenario's numbers and forms. */
    public record Shape(
            int depth,
            String window,
            String form,
            int threads,
            int connections,
            int maxTotal,
            int maxIdle,
            int cacheEntries) {

        /** How many connections a pool keeps: all of them, where the trial does not say. */
        int mostIdle() {
            return maxIdle == 0 ? maxTotal : maxIdle;
        }
    }

    /** What sentinels call the primary that they watch. */
    public static final String WATCHED = "respmark";

    /** A host and a port. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    @JsonPropertyOrder({"host", "port"})
    public record Place(String host, int port) {}

    /** Where the server is and how to log in; of a cluster, one of its nodes. Sentinels, if any, know the primary. */
    public record Server(
            String host,
            int port,
            String unixSocket,
            int database,
            String username,
            String password,
            Tls tls,
            boolean cluster,
            List<Place> sentinels) {

        public Server {
            sentinels = sentinels == null ? List.of() : List.copyOf(sentinels);
        }

        /** Whether it is one server, whose address is known. */
        public boolean isOne() {
            return !cluster && sentinels.isEmpty();
        }
    }

    /** How to speak TLS to it; files are PEM. */
    public record Tls(String caFile, String certificateFile, String keyFile, boolean verify) {}
}
