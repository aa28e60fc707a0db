package respmark.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the runner says: each event and the description as JSON objects, fields in the contract's order. */
public interface Event {
    Map<String, Object> toJson();

    /** Connected, verified, warmed up, every reply received; waiting for `go`. */
    record Ready(String trialId, long startupNs, long verifiedReplies, long warmupOperations) implements Event {
        @Override
        public Map<String, Object> toJson() {
            Map<String, Object> fields = named("ready", trialId);
            fields.put("startup_ns", startupNs);
            fields.put("verified_replies", verifiedReplies);
            fields.put("warmup_operations", warmupOperations);
            return fields;
        }
    }

    /** About once a second inside the window. */
    record Progress(String trialId, long elapsedNs, long operations) implements Event {
        @Override
        public Map<String, Object> toJson() {
            Map<String, Object> fields = named("progress", trialId);
            fields.remove("schema_version");
            fields.put("elapsed_ns", elapsedNs);
            fields.put("operations", operations);
            return fields;
        }
    }

    /** One walker's way through the workload, cyclic from `firstCommand`. */
    record Segment(long firstCommand, long operations) {
        Map<String, Object> toJson() {
            return ordered("first_command", firstCommand, "operations", operations);
        }
    }

    /** The window's first half. */
    record Half(long operations, long elapsedNs) {
        Map<String, Object> toJson() {
            return ordered("operations", operations, "elapsed_ns", elapsedNs);
        }
    }

    /** Latency of the scenario's units, `[value_ns, count]` in ascending order. */
    record Latency(String sampleCovers, List<long[]> histogram, long maxNs) {
        Map<String, Object> toJson() {
            return ordered("sample_covers", sampleCovers, "histogram", histogram, "max_ns", maxNs);
        }
    }

    /** What was measured; every field stands in the contract. */
    record Result(
            String trialId,
            long operations,
            long units,
            List<Segment> segments,
            Map<String, Long> errors,
            String firstError,
            long elapsedNs,
            Half firstHalf,
            long cpuUserNs,
            long cpuSystemNs,
            Latency latency,
            long peakMemoryBytes,
            String decodesTo,
            Map<String, Object> runtimeHealth,
            Map<String, Object> runtimeSettings,
            Map<String, String> versions)
            implements Event {
        @Override
        public Map<String, Object> toJson() {
            Map<String, Object> fields = named("result", trialId);
            fields.put("operations", operations);
            fields.put("units", units);
            fields.put("segments", segments.stream().map(Segment::toJson).toList());
            fields.put("errors", errors);
            fields.put("first_error", firstError);
            fields.put("elapsed_ns", elapsedNs);
            fields.put("first_half", firstHalf == null ? null : firstHalf.toJson());
            fields.put("cpu_user_ns", cpuUserNs);
            fields.put("cpu_system_ns", cpuSystemNs);
            fields.put("latency", latency.toJson());
            fields.put("peak_memory_bytes", peakMemoryBytes);
            fields.put("decodes_to", decodesTo);
            fields.put("runtime_health", runtimeHealth);
            fields.put("runtime_settings", runtimeSettings);
            fields.put("versions", versions);
            return fields;
        }
    }

    private static Map<String, Object> named(String event, String trialId) {
        return ordered("event", event, "schema_version", Contract.SCHEMA_VERSION, "trial_id", trialId);
    }

    /** A JSON object of names and values in turn. */
    static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
