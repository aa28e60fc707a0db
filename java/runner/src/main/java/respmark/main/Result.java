package respmark.main;

import java.util.LinkedHashMap;
import java.util.Map;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.contract.Event;
import respmark.contract.Trial;
import respmark.recorder.Health;
import respmark.recorder.Histogram;
import respmark.recorder.RuntimeSettings;
import respmark.scenarios.Layout;
import respmark.scenarios.Slices;

/** Puts what was recorded into the `result` event. */
record Result(Trial trial, Library library, Session session, Layout layout) {
    /** `health` covers the time since the first slice whose samples are kept. */
    Event.Result of(Slices slices, Health health) {
        Histogram histogram = new Histogram();
        slices.samples().forEach(samples -> histogram.add(samples.fold()));
        return new Event.Result(
                trial.trialId(),
                new Event.Latency(layout.sampleCovers(), histogram.pairs(), histogram.maxNs()),
                Health.peakMemoryBytes(),
                (String) Options.of(trial, library.description().options()).get(Options.DECODE),
                health.toJson(),
                settings(),
                versions());
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>(session.settings());
        settings.putAll(RuntimeSettings.now());
        return settings;
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>(library.versions());
        versions.put("java", System.getProperty("java.runtime.version"));
        versions.put("jvm", System.getProperty("java.vm.name"));
        versions.put("jvm_vendor", System.getProperty("java.vendor"));
        return versions;
    }
}
