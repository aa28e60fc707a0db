package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

class FailuresTest {
    private static final String THROWS = "org.respmark.bench.SometimesWrong.operation";

    private final PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    private final Failures failures =
            new Failures(OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.NORMAL));

    /** What went well is no failure; a reply found wrong after an iteration is one, with its reason. */
    @Test
    void failuresAreListed() throws RunnerException {
        run("right", "wrong");
        assertEquals(List.of(THROWS + "{reply=wrong}"), benchmarks());
        assertTrue(failures.json().contains("\"params\": {\"reply\": \"wrong\"}"), failures.json());
        assertTrue(failures.json().contains("IllegalStateException: \\\"wrong\\\" reply"), failures.json());
    }

    /** The last benchmark's failure is not lost. */
    @Test
    void failureAtTheEnd() throws RunnerException {
        run("wrong", "right", "wrong");
        assertEquals(2, benchmarks().size());
    }

    /** Nothing failed: the list is empty, and JSON. */
    @Test
    void noFailure() throws RunnerException {
        run("right");
        assertTrue(failures.none());
        assertEquals("[]", failures.json().replaceAll("\\s", ""));
    }

    private List<String> benchmarks() {
        assertFalse(failures.none());
        return failures.sentences().stream()
                .map(line -> line.substring(0, line.indexOf(" failed: ")))
                .toList();
    }

    private void run(String... replies) throws RunnerException {
        new Runner(
                        new OptionsBuilder()
                                .include("^" + THROWS.replace(".", "\\.") + "$")
                                .param("reply", replies)
                                .forks(0)
                                .warmupIterations(0)
                                .measurementIterations(1)
                                .measurementTime(TimeValue.milliseconds(5))
                                .build(),
                        failures)
                .run();
        failures.finish();
    }
}
