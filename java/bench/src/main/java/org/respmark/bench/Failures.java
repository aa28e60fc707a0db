package org.respmark.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Notices benchmarks that started but gave no result; JMH leaves them out of its file. */
final class Failures {
    private static final String EXCEPTION = "([a-zA-Z_$][\\w$]*\\.)+[\\w$]*(Exception|Error)\\b.*";

    /** A benchmark that failed, with its parameters. */
    record Failure(String benchmark, Map<String, String> params, String reason) {}

    private final OutputFormat shown;
    private final List<Failure> found = new ArrayList<>();
    private BenchmarkParams open;
    private boolean failed;
    private String reason;

    Failures(OutputFormat shown) {
        this.shown = shown;
    }

    /** What JMH is to print to: the same as it would, with a look at it. */
    OutputFormat noticing() {
        return (OutputFormat) Proxy.newProxyInstance(
                Failures.class.getClassLoader(), new Class<?>[] {OutputFormat.class}, (proxy, method, arguments) -> {
                    notice(method.getName(), arguments);
                    return pass(method, arguments);
                });
    }

    private Object pass(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(shown, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private void notice(String method, Object... arguments) {
        switch (method) {
            case "startBenchmark" -> start((BenchmarkParams) arguments[0]);
            // JMH also calls this with null, when every fork failed.
            case "endBenchmark" -> open = arguments[0] != null && !failed ? null : open;
            case "print", "println" -> noteReason((String) arguments[0]);
            case "endRun" -> close();
            default -> {}
        }
    }

    private void start(BenchmarkParams benchmark) {
        close();
        open = benchmark;
        failed = false;
        reason = "JMH gave no reason; see its output";
    }

    /** Notes the last benchmark, unless it ended well. */
    private void close() {
        if (open != null) {
            Map<String, String> parameters = new LinkedHashMap<>();
            open.getParamsKeys().forEach(key -> parameters.put(key, open.getParam(key)));
            found.add(new Failure(open.getBenchmark(), parameters, reason));
        }
        open = null;
    }

    /** Remembers the first line that names an exception after JMH reported the failure. */
    private void noteReason(String text) {
        failed |= text.contains("<failure>") || text.contains("<forked VM failed");
        if (failed && !reason.matches(EXCEPTION)) {
            text.lines()
                    .map(String::strip)
                    .filter(line -> line.matches(EXCEPTION))
                    .findFirst()
                    .ifPresent(line -> reason = line);
        }
    }

    List<Failure> found() {
        return found;
    }

    /** Writes them to a file, and says them. */
    void write(Path file) throws IOException {
        new ObjectMapper().writeValue(file.toFile(), found);
        found.forEach(one -> System.err.println(one.benchmark + one.params + " failed: " + one.reason));
    }
}
