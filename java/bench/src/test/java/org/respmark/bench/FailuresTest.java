package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
        assertEquals(1, failures.found().size());
        Failures.Failure failure = failures.found().get(0);
        assertEquals(THROWS, failure.benchmark());
        assertEquals(Map.of("reply", "wrong"), failure.params());
        assertTrue(failure.reason().contains("IllegalStateException: \"wrong\" reply"), failure.reason());
    }

    /** The last benchmark's failure is not lost. */
    @Test
    void failureAtTheEnd() throws RunnerException {
        run("wrong", "right", "wrong");
        assertEquals(2, failures.found().size());
    }

    /** They are written as JSON, in the harness's form. */
    @Test
    void written(@TempDir Path folder) throws RunnerException, IOException {
        run("right");
        failures.write(folder.resolve("failures.json"));
        assertEquals("[]", Files.readString(folder.resolve("failures.json")));
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
                        failures.noticing())
                .run();
    }
}
