package respmark.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import respmark.contract.Trial.Client;
import respmark.contract.Trial.Endpoint;
import respmark.contract.Trial.Shape;
import respmark.contract.Trial.Tls;
import respmark.contract.Trial.WorkloadPart;

/** Parses the trial that the harness writes to standard input. */
public final class TrialParser {
    private static final List<String> WINDOWS = List.of("burst", "sliding");
    private static final List<String> FORMS = List.of("queued", "batched");
    private static final int HIGHEST_PORT = 65_535;
    private static final int VERIFY_COMMANDS = 100;

    private TrialParser() {}

    /** The trial in one line of JSON. */
    public static Trial parse(String line) {
        Fields fields = new Fields(Fields.json(line, "trial"), "trial");
        fields.take("schema_version", Contract::schemaVersion);
        Trial trial = new Trial(
                fields.take("trial_id", Fields::text),
                fields.take("client", TrialParser::client),
                Scenario.of(fields.take("scenario", Fields.oneOf(Scenario.words()))),
                fields.take("shape", TrialParser::shape),
                fields.take("workload", TrialParser::workload),
                fields.take("target", TrialParser::endpoint),
                fields.take("verify_commands", Fields.whole(0), VERIFY_COMMANDS));
        fields.finish();
        checkShape(trial.scenario(), trial.shape());
        return trial;
    }

    private static Client client(Object value, String where) {
        Fields fields = new Fields(value, where);
        Client client = new Client(
                fields.take("library", Fields::text),
                fields.takeNullable("version", Fields::text),
                fields.take("options", TrialParser::options, Map.of()));
        fields.finish();
        return client;
    }

    private static Map<String, Object> options(Object value, String where) {
        if (!(value instanceof Map<?, ?> choices)) {
            throw Fields.refusal(where, "must be an object, not " + Fields.show(value));
        }
        Map<String, Object> options = new LinkedHashMap<>();
        choices.forEach((name, choice) -> {
            if (!(choice instanceof String || choice instanceof Integer || choice instanceof Boolean)) {
                throw Fields.refusal(
                        where + "." + name, "must be a text, a whole number or a boolean, not " + Fields.show(choice));
            }
            options.put((String) name, choice);
        });
        return options;
    }

    private static Shape shape(Object value, String where) {
        Fields fields = new Fields(value, where);
        Shape shape = new Shape(
                fields.takeNullable("depth", Fields.whole(1)),
                fields.takeNullable("window", Fields.oneOf(WINDOWS)),
                fields.takeNullable("form", Fields.oneOf(FORMS)),
                fields.takeNullable("threads", Fields.whole(1)),
                fields.takeNullable("connections", Fields.whole(1)),
                fields.takeNullable("max_total", Fields.whole(1)),
                fields.takeNullable("max_idle", Fields.whole(0)),
                fields.takeNullable("cache_entries", Fields.whole(1)),
                fields.take("processes", Fields.whole(1), 1));
        fields.finish();
        return shape;
    }

    private static void checkShape(Scenario scenario, Shape shape) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("depth", shape.depth());
        given.put("window", shape.window());
        given.put("form", shape.form());
        given.put("threads", shape.threads());
        given.put("connections", shape.connections());
        given.put("max_total", shape.maxTotal());
        given.put("max_idle", shape.maxIdle());
        given.put("cache_entries", shape.cacheEntries());
        for (String name : scenario.required()) {
            if (given.get(name) == null) {
                throw Fields.refusal("trial.shape", "lacks " + name + ", which " + scenario.word() + " needs");
            }
        }
        given.forEach((name, number) -> {
            if (number != null && !scenario.uses(name)) {
                throw Fields.refusal("trial.shape", "has " + name + ", which " + scenario.word() + " does not use");
            }
        });
    }

    private static WorkloadPart workload(Object value, String where) {
        Fields fields = new Fields(value, where);
        WorkloadPart part = new WorkloadPart(
                fields.take("path", Fields::anyText),
                fields.take("part", Fields.whole(0), 0),
                fields.take("parts", Fields.whole(1), 1));
        fields.finish();
        if (part.part() >= part.parts()) {
            throw Fields.refusal(
                    fields.path("part"), "must be below parts (%d), not %d".formatted(part.parts(), part.part()));
        }
        return part;
    }

    private static Tls tls(Object value, String where) {
        Fields fields = new Fields(value, where);
        Tls tls = new Tls(
                fields.takeNullable("ca_file", Fields::anyText),
                fields.takeNullable("certificate_file", Fields::anyText),
                fields.takeNullable("key_file", Fields::anyText),
                fields.take("verify", Fields::flag, true));
        fields.finish();
        return tls;
    }

    private static Endpoint endpoint(Object value, String where) {
        Fields fields = new Fields(value, where);
        Endpoint endpoint = new Endpoint(
                fields.takeNullable("host", Fields::anyText),
                fields.takeNullable("port", Fields.whole(1, HIGHEST_PORT)),
                fields.takeNullable("unix_socket", Fields::anyText),
                fields.take("database", Fields.whole(0), 0),
                fields.takeNullable("username", Fields::anyText),
                fields.takeNullable("password", Fields::secret),
                fields.takeNullable("tls", TrialParser::tls));
        fields.finish();
        boolean hasHost = endpoint.host() != null;
        if (hasHost == (endpoint.unixSocket() != null) || hasHost != (endpoint.port() != null)) {
            throw Fields.refusal(where, "must have either host and port or unix_socket");
        }
        return endpoint;
    }
}
