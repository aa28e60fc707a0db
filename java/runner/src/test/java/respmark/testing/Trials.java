package respmark.testing;

import java.util.LinkedHashMap;
import java.util.Map;
import respmark.contract.Event;

/** Trials as JSON objects. */
public final class Trials {
    private Trials() {}

    /** A short `sync` of the golden workload; names and values in turn say what is different. */
    public static Map<String, Object> trial(String library, int port, Object... changes) {
        Map<String, Object> trial = Event.ordered(
                "schema_version",
                2,
                "trial_id",
                "test",
                "client",
                client(library),
                "scenario",
                "sync",
                "shape",
                Map.of(),
                "workload",
                Map.of("path", Golden.workload()),
                "target",
                target(port),
                "verify_commands",
                20);
        trial.putAll(Event.ordered(changes));
        return trial;
    }

    /** A short slice whose samples are kept; names and values in turn say what is different. */
    public static Map<String, Object> slice(Object... changes) {
        Map<String, Object> order = Event.ordered(
                "order",
                "slice",
                "slice",
                1,
                "duration_ns",
                30_000_000,
                "lead_in_ns",
                10_000_000,
                "first_command",
                7,
                "keep_samples",
                true);
        order.putAll(Event.ordered(changes));
        return order;
    }

    /** A client with options, names and values in turn. */
    public static Map<String, Object> client(String library, Object... options) {
        return Map.of("library", library, "options", Event.ordered(options));
    }

    /** A target on this machine. */
    public static Map<String, Object> target(int port, Object... changes) {
        Map<String, Object> target = new LinkedHashMap<>(Map.of("host", "127.0.0.1", "port", port));
        target.putAll(Event.ordered(changes));
        return target;
    }
}
