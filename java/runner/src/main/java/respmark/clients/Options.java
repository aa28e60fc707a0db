package respmark.clients;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import respmark.contract.Fields;
import respmark.contract.Trial;
import respmark.errors.InvalidInput;
import respmark.scenarios.ThreadKind;

/** The options that both libraries have, and what a trial chose. */
public final class Options {
    public static final String DECODE = "decode";
    public static final String PROTOCOL = "protocol";
    public static final String THREADS = "threads";

    private final Map<String, List<Object>> values;
    private final Map<String, Object> chosen;

    private Options(Map<String, List<Object>> values, Map<String, Object> chosen) {
        this.values = values;
        this.chosen = chosen;
    }

    /** Every option with the values it takes, the default first. */
    public static Map<String, List<Object>> common() {
        Map<String, List<Object>> options = new LinkedHashMap<>();
        options.put(DECODE, List.of("text", "bytes"));
        options.put(PROTOCOL, List.of(3, 2));
        options.put(THREADS, List.of("platform", "virtual"));
        return options;
    }

    /** The trial's choices; unknown options and values are refused. */
    public static Options of(Trial trial, Map<String, List<Object>> values) {
        trial.client().options().forEach((name, value) -> check(name, value, values));
        return new Options(values, trial.client().options());
    }

    private static void check(String name, Object value, Map<String, List<Object>> values) {
        List<Object> allowed = values.get(name);
        if (allowed == null) {
            throw new InvalidInput("trial.client.options.%s is unknown; known are %s"
                    .formatted(name, String.join(", ", values.keySet())));
        }
        if (!allowed.contains(value)) {
            throw new InvalidInput(
                    "trial.client.options.%s must be one of %s, not %s".formatted(name, allowed, Fields.show(value)));
        }
    }

    public Object get(String name) {
        return chosen.getOrDefault(name, values.get(name).get(0));
    }

    public boolean is(String name, Object value) {
        return get(name).equals(value);
    }

    public ThreadKind threads() {
        return is(THREADS, "virtual") ? ThreadKind.VIRTUAL : ThreadKind.PLATFORM;
    }

    /** Why this JDK cannot do what the options ask for, or null if it can. */
    public String objection() {
        return threads() == ThreadKind.VIRTUAL && !ThreadKind.hasVirtual()
                ? "JDK %d has no virtual threads that can share a pool: run it on 24 or later"
                        .formatted(Runtime.version().feature())
                : null;
    }
}
