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
import java.util.stream.LongStream;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.contract.Event;
import respmark.contract.Event.Latency;
import respmark.contract.Event.Result;
import respmark.contract.Event.Segment;
import respmark.contract.Event.Work;
import respmark.contract.Order;
import respmark.contract.Trial;
import respmark.recorder.Cpu;
import respmark.recorder.Health;
import respmark.recorder.LatencyHistogram;
import respmark.recorder.Tally;
import respmark.scenarios.Course;
import respmark.scenarios.Layout;

/** Puts what was recorded into events. */
record Answers(Trial trial, Library library, Session session, Layout layout, Exit exit) {
    private static final int LONGEST_MESSAGE = 500;

    Event.Slice of(Order.Slice order, Course course) {
        long[] leadIn = course.leadInUnits();
        long[] measured = course.measuredUnits();
        return new Event.Slice(
                trial.trialId(),
                order.slice(),
                course.started().told(),
                course.measuredFrom().told(),
                course.ended().told(),
                work(leadIn),
                work(measured),
                IntStream.range(0, measured.length)
                        .mapToObj(i -> new Segment(course.first(i), commands(leadIn[i] + measured[i])))
                        .toList(),
                errors(course.tallies()),
                firstError(course.tallies()));
    }

    private Work work(long[] units) {
        long all = LongStream.of(units).sum();
        return new Work(commands(all), all);
    }

    private long commands(long units) {
        return units * layout.commandsPerUnit();
    }

    private static Map<String, Long> errors(List<Tally> tallies) {
        Map<String, Long> errors = new TreeMap<>();
        tallies.forEach(tally -> tally.errors().forEach((kind, count) -> errors.merge(kind, count, Long::sum)));
        return errors;
    }

    private String firstError(List<Tally> tallies) {
        return tallies.stream()
                .map(Tally::firstError)
                .filter(Objects::nonNull)
                .findFirst()
                .map(error -> error.getClass().getSimpleName() + ": " + error.getMessage())
                .map(exit::redacted)
                .map(text -> text.substring(0, Math.min(text.length(), LONGEST_MESSAGE)))
                .orElse(null);
    }

    /** `health` is what the trial used since the first slice whose samples are kept. */
    Result result(Course course, Health health) {
        LatencyHistogram histogram = new LatencyHistogram();
        course.tallies().forEach(tally -> histogram.add(tally.fold()));
        return new Result(
                trial.trialId(),
                new Latency(layout.sampleCovers(), histogram.pairs(), histogram.maxNs()),
                Health.peakMemoryBytes(),
                (String) options().get(Options.DECODE),
                health.toJson(),
                settings(),
                versions());
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
        settings.put("cpu_source", Cpu.sourceName());
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
