package respmark.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the runner prints: events and the description as JSON, fields in the contract's order. */
public interface Event {
    Map<String, Object> toJson();

    /** Library loaded, commands materialised; waiting for `connect`. */
    record Loaded(String trialId, long startupNs) implements Event {
        @Override
        public Map<String, Object> toJson() {
            return ordered(
                    "event",
                    "loaded",
                    "schema_version",
                    Contract.SCHEMA_VERSION,
                    "trial_id",
                    trialId,
                    "startup_ns",
                    startupNs);
        }
    }

    /** Connected and verified; waiting for `slice`. */
    record Ready(String trialId, long connectNs, long verifiedReplies) implements Event {
        @Override
        public Map<String, Object> toJson() {
            return ordered(
                    "event",
                    "ready",
                    "trial_id",
                    trialId,
                    "connect_ns",
                    connectNs,
                    "verified_replies",
                    verifiedReplies);
        }
    }

    /** The process at one moment of a slice. */
    record Moment(long atNs, long cpuUserNs, long cpuSystemNs) {
        Map<String, Object> toJson() {
            return ordered("at_ns", atNs, "cpu_user_ns", cpuUserNs, "cpu_system_ns", cpuSystemNs);
        }
    }

    /** What was completed without error in one part of a slice. */
    record Work(long operations, long units) {
        Map<String, Object> toJson() {
            return ordered("operations", operations, "units", units);
        }
    }

    /** One walker's path through the workload in a slice, cyclic from `firstCommand`. */
    record Segment(long firstCommand, long operations) {
        Map<String, Object> toJson() {
            return ordered("first_command", firstCommand, "operations", operations);
        }
    }

    /** What the client's own cache did since the previous slice ended, or since it was created. */
    record LocalCache(long hits, long misses, long invalidations) {
        public LocalCache since(LocalCache earlier) {
            return new LocalCache(hits - earlier.hits, misses - earlier.misses, invalidations - earlier.invalidations);
        }

        public Map<String, Object> toJson() {
            return ordered("hits", hits, "misses", misses, "invalidations", invalidations);
        }
    }

    /** The ordered slice is done; `localCache` is null except in `caching`. */
    record Slice(
            String trialId,
            long slice,
            Moment started,
            Moment measuredFrom,
            Moment ended,
            Work leadIn,
            Work measured,
            List<Segment> segments,
            Map<String, Long> errors,
            String firstError,
            LocalCache localCache)
            implements Event {
        @Override
        public Map<String, Object> toJson() {
            Map<String, Object> fields = ordered("event", "slice", "trial_id", trialId, "slice", slice);
            fields.put("started", started.toJson());
            fields.put("measured_from", measuredFrom.toJson());
            fields.put("ended", ended.toJson());
            fields.put("lead_in", leadIn.toJson());
            fields.put("measured", measured.toJson());
            fields.put("segments", segments.stream().map(Segment::toJson).toList());
            fields.put("errors", errors);
            fields.put("first_error", firstError);
            fields.put("local_cache", localCache == null ? null : localCache.toJson());
            return fields;
        }
    }

    /** Latency of the scenario's units, `[value_ns, count]` in ascending order. */
    record Latency(String sampleCovers, List<long[]> histogram, long maxNs) {
        Map<String, Object> toJson() {
            return ordered("sample_covers", sampleCovers, "histogram", histogram, "max_ns", maxNs);
        }
    }

    /** What is reported once, after the last slice; the contract explains every field. */
    record Result(
            String trialId,
            Latency latency,
            long peakMemoryBytes,
            String decodesTo,
            Map<String, Object> runtimeHealth,
            Map<String, Object> runtimeSettings,
            Map<String, String> versions)
            implements Event {
        @Override
        public Map<String, Object> toJson() {
            Map<String, Object> fields =
                    ordered("event", "result", "schema_version", Contract.SCHEMA_VERSION, "trial_id", trialId);
            fields.put("latency", latency.toJson());
            fields.put("peak_memory_bytes", peakMemoryBytes);
            fields.put("decodes_to", decodesTo);
            fields.put("runtime_health", runtimeHealth);
            fields.put("runtime_settings", runtimeSettings);
            fields.put("versions", versions);
            return fields;
        }
    }

    /** A JSON object from alternating names and values. */
    static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
