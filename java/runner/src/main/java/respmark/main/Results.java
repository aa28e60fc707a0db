package respmark.main;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.contract.Event.Half;
import respmark.contract.Event.Latency;
import respmark.contract.Event.Result;
import respmark.contract.Event.Segment;
import respmark.contract.Trial;
import respmark.recorder.Cpu;
import respmark.recorder.Health;
import respmark.recorder.LatencyHistogram;
import respmark.recorder.Tally;
import respmark.recorder.Window;
import respmark.scenarios.Course;
import respmark.scenarios.Layout;

/** Puts what was recorded into the result event. */
record Results(Trial trial, Library library, Session session, Layout layout, Course course) {
    private static final int LONGEST_MESSAGE = 500;

    Result of(Window window, List<Tally> tallies, Exit exit) {
        LatencyHistogram histogram = new LatencyHistogram();
        tallies.forEach(tally -> histogram.add(tally.histogram()));
        long units = tallies.stream().mapToLong(Tally::units).sum();
        long ended = tallies.stream().mapToLong(Tally::endedNs).max().orElseThrow();
        return new Result(
                trial.trialId(),
                commands(units),
                units,
                segments(tallies),
                errors(tallies),
                firstError(tallies, exit),
                ended - window.startNs(),
                firstHalf(tallies),
                window.cpu().userNs(),
                window.cpu().systemNs(),
                new Latency(layout.sampleCovers(), histogram.pairs(), histogram.maxNs()),
                Health.peakMemoryBytes(),
                (String) options().get(Options.CODEC),
                window.health().toJson(),
                settings(),
                versions());
    }

    private long commands(long units) {
        return units * layout.commandsPerUnit();
    }

    private List<Segment> segments(List<Tally> tallies) {
        return IntStream.range(0, tallies.size())
                .mapToObj(i -> new Segment(
                        course.walks().get(i).first(), commands(tallies.get(i).units())))
                .toList();
    }

    private static Map<String, Long> errors(List<Tally> tallies) {
        Map<String, Long> errors = new TreeMap<>();
        tallies.forEach(tally -> tally.errors().forEach((kind, count) -> errors.merge(kind, count, Long::sum)));
        return errors;
    }

    private static String firstError(List<Tally> tallies, Exit exit) {
        return tallies.stream()
                .map(Tally::firstError)
                .filter(Objects::nonNull)
                .findFirst()
                .map(error -> error.getClass().getSimpleName() + ": " + error.getMessage())
                .map(exit::redacted)
                .map(text -> text.substring(0, Math.min(text.length(), LONGEST_MESSAGE)))
                .orElse(null);
    }

    /** A walker may have waited through the second half for one unit: it counts with what it had done before. */
    private Half firstHalf(List<Tally> tallies) {
        long units = tallies.stream()
                .mapToLong(tally -> tally.half() == null
                        ? tally.unitsBeforeLast()
                        : tally.half().units())
                .sum();
        return tallies.stream()
                .map(Tally::half)
                .filter(Objects::nonNull)
                .map(Tally.Half::elapsedNs)
                .max(Long::compare)
                .map(elapsedNs -> new Half(commands(units), elapsedNs))
                .orElse(null);
    }

    private Options options() {
        return Options.of(trial, library.description().options());
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>(session.settings());
        settings.put(
                "jvm_flags",
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        settings.put("heap_max_bytes", Runtime.getRuntime().maxMemory());
        settings.put(
                "gc",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .collect(Collectors.joining(", ")));
        settings.put(
                "jit", ManagementFactory.getCompilationMXBean().getName() + ", " + System.getProperty("java.vm.info"));
        settings.put("cpu_source", Cpu.source());
        settings.put("sample_storage_bytes", course.storageBytes());
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
