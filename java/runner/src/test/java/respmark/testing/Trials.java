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
                1,
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
                "warmup_s",
                0.02,
                "measure_s",
                0.1,
                "verify_commands",
                20);
        trial.putAll(Event.ordered(changes));
        return trial;
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
