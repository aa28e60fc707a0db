package org.respmark.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Notices benchmarks that started but gave no result; JMH leaves them out of its file. */
final class Failures implements OutputFormat {
    private static final String UNKNOWN = "JMH gave no reason; see its output";

    /** A benchmark that failed. */
    record Failure(String benchmark, Map<String, String> parameters, String reason) {}

    private final OutputFormat shown;
    private final List<Failure> found = new ArrayList<>();
    private BenchmarkParams open;
    private boolean failed;
    private String reason;

    Failures(OutputFormat shown) {
        this.shown = shown;
    }

    boolean none() {
        return found.isEmpty();
    }

    /** Closes the last benchmark. */
    void finish() {
        if (open != null) {
            found.add(new Failure(open.getBenchmark(), parameters(open), reason == null ? UNKNOWN : reason));
        }
        open = null;
    }

    List<String> sentences() {
        return found.stream()
                .map(failure -> failure.benchmark() + failure.parameters() + " failed: " + failure.reason())
                .toList();
    }

    String json() {
        return found.stream().map(Failures::written).collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    }

    private static String written(Failure failure) {
        String parameters = failure.parameters().entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ": " + quoted(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
        return "{\"benchmark\": %s, \"params\": %s, \"reason\": %s}"
                .formatted(quoted(failure.benchmark()), parameters, quoted(failure.reason()));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int place = 0; place < text.length(); place++) {
            char letter = text.charAt(place);
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ') {
                quoted.append("\\u%04x".formatted((int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }

    private static Map<String, String> parameters(BenchmarkParams benchmark) {
        Map<String, String> parameters = new LinkedHashMap<>();
        benchmark.getParamsKeys().forEach(key -> parameters.put(key, benchmark.getParam(key)));
        return parameters;
    }

    @Override
    public void startBenchmark(BenchmarkParams benchmark) {
        finish();
        open = benchmark;
        failed = false;
        reason = null;
        shown.startBenchmark(benchmark);
    }

    @Override
    public void endBenchmark(BenchmarkResult result) {
        // JMH also calls this with null, when every fork failed.
        if (result != null && !failed) {
            open = null;
        }
        shown.endBenchmark(result);
    }

    @Override
    public void println(String line) {
        noteReason(line);
        shown.println(line);
    }

    /** Remembers the first line that names an exception after JMH reported the failure. */
    private void noteReason(String line) {
        if (line.contains("<failure>") || line.contains("<forked VM failed")) {
            failed = true;
        }
        if (failed && reason == null) {
            reason = line.lines()
                    .map(String::strip)
                    .filter(text -> text.matches("([a-zA-Z_$][\\w$]*\\.)+[\\w$]*(Exception|Error)\\b.*"))
                    .findFirst()
                    .orElse(null);
        }
    }

    @Override
    public void iteration(BenchmarkParams benchmark, IterationParams params, int iteration) {
        shown.iteration(benchmark, params, iteration);
    }

    @Override
    public void iterationResult(
            BenchmarkParams benchmark, IterationParams params, int iteration, IterationResult data) {
        shown.iterationResult(benchmark, params, iteration, data);
    }

    @Override
    public void startRun() {
        shown.startRun();
    }

    @Override
    public void endRun(Collection<RunResult> result) {
        shown.endRun(result);
    }

    @Override
    public void print(String text) {
        noteReason(text);
        shown.print(text);
    }

    @Override
    public void flush() {
        shown.flush();
    }

    @Override
    public void close() {
        shown.close();
    }

    @Override
    public void verbosePrintln(String line) {
        shown.verbosePrintln(line);
    }

    @Override
    public void write(int letter) {
        shown.write(letter);
    }

    @Override
    public void write(byte[] letters) throws IOException {
        shown.write(letters);
    }
}
