package respmark.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the runner reports about itself: the answer to `describe`. */
public record Description(List<ClientDescription> clients, List<MissingClient> missing) implements Event {
    /** The variants of a scenario that an adapter has. */
    public record Support(List<String> windows, List<String> forms) {
        public static final Support PLAIN = new Support(List.of(), List.of());
    }

    /** A setting of a library or the JVM that is not as installed; no scenarios means all. */
    public record Difference(String setting, String plain, String ours, String why, List<Scenario> scenarios) {}

    /** One client library that the runner can drive here and now; each option's first value is its default. */
    public record ClientDescription(
            String library,
            String version,
            Map<String, String> dependencies,
            Map<String, List<Object>> options,
            Map<Scenario, Support> scenarios,
            List<Difference> differences) {}

    /** One client library that the runner knows but cannot drive here. */
    public record MissingClient(String library, String reason, String advice) {}

    @Override
    public Map<String, Object> toJson() {
        return Event.ordered(
                "schema_version",
                Contract.SCHEMA_VERSION,
                "runner",
                "java",
                "runtime",
                System.getProperty("java.vm.name"),
                "runtime_version",
                System.getProperty("java.runtime.version"),
                "clients",
                clients.stream().map(Description::client).toList(),
                "missing",
                missing.stream().map(Description::absent).toList());
    }

    private static Map<String, Object> client(ClientDescription client) {
        Map<String, Object> scenarios = new LinkedHashMap<>();
        client.scenarios()
                .forEach((scenario, support) -> scenarios.put(
                        scenario.word(), Event.ordered("windows", support.windows(), "forms", support.forms())));
        return Event.ordered(
                "library",
                client.library(),
                "version",
                client.version(),
                "dependencies",
                client.dependencies(),
                "options",
                client.options(),
                "scenarios",
                scenarios,
                "differences",
                client.differences().stream().map(Description::difference).toList());
    }

    private static Map<String, Object> difference(Difference difference) {
        return Event.ordered(
                "setting",
                difference.setting(),
                "plain",
                difference.plain(),
                "ours",
                difference.ours(),
                "why",
                difference.why(),
                "scenarios",
                difference.scenarios().stream().map(Scenario::word).toList());
    }

    private static Map<String, Object> absent(MissingClient client) {
        return Event.ordered("library", client.library(), "reason", client.reason(), "advice", client.advice());
    }
}
