package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.contract.Json;
import respmark.testing.Golden;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** Orders that are malformed, or not due, end the trial with a sentence that says which it was and what was due. */
class OrdersTest {
    private static final String SLICE = Json.line(Trials.slice());
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static Runner loaded() throws Exception {
        Runner runner = Runner.with(Trials.trial("jedis", server.port()));
        assertEquals("loaded", runner.event().get("event"));
        return runner;
    }

    private static Runner ready() throws Exception {
        return Runner.ready(Trials.trial("jedis", server.port()));
    }

    private static Runner finished() throws Exception {
        Runner runner = ready();
        assertEquals("slice", runner.slice().get("event"));
        assertEquals("result", runner.finish().get("event"));
        return runner;
    }

    private static void refused(Runner runner, String order, String sentence) throws Exception {
        runner.write(order);
        ended(runner, 2, sentence);
    }

    private static void ended(Runner runner, int exitCode, String sentence) throws Exception {
        Runner.Ending ending = runner.ended();
        assertEquals(sentence, ending.stderr());
        assertEquals(exitCode, ending.exitCode());
    }

    @Test
    void anOrderThatIsNotDueExitsWith2() throws Exception {
        try (Runner runner = loaded()) {
            refused(runner, SLICE, "the order slice is not due; due: connect");
        }
        try (Runner runner = loaded()) {
            refused(runner, Runner.FINISH, "the order finish is not due; due: connect");
        }
        try (Runner runner = ready()) {
            refused(runner, Runner.CONNECT, "the order connect is not due; due: slice or finish");
        }
        for (String order : List.of(SLICE, Runner.FINISH)) {
            try (Runner runner = finished()) {
                String word = order.equals(SLICE) ? "slice" : "finish";
                refused(runner, order, "the order %s is not due; due: the end of standard input".formatted(word));
            }
        }
    }

    static List<Path> invalid() throws IOException {
        return Golden.files("orders/invalid");
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void anOrderThatIsNotValidExitsWith2(Path path) throws Exception {
        try (Runner runner = ready()) {
            runner.write(Golden.text(path).replace("\n", " "));
            Runner.Ending ending = runner.ended();
            assertTrue(ending.stderr().startsWith("order."), ending.stderr());
            assertTrue(ending.stderr().endsWith("; due: slice or finish"), ending.stderr());
            assertEquals(2, ending.exitCode());
        }
    }

    @Test
    void whatIsNoJsonExitsWith2() throws Exception {
        try (Runner runner = ready()) {
            runner.write("slice, please");
            Runner.Ending ending = runner.ended();
            assertTrue(ending.stderr().startsWith("order is not one line of JSON: "), ending.stderr());
            assertEquals(2, ending.exitCode());
        }
    }

    @Test
    void standardInputThatEndsBeforeTheResultExitsWith1() throws Exception {
        try (Runner runner = loaded()) {
            runner.closeInput();
            ended(runner, 1, "standard input ended before the result; due: connect");
        }
        try (Runner runner = ready()) {
            runner.slice();
            runner.closeInput();
            ended(runner, 1, "standard input ended before the result; due: slice or finish");
        }
    }

    @Test
    void standardInputThatEndsAfterTheResultExitsWith0() throws Exception {
        try (Runner runner = finished()) {
            runner.closeInput();
            ended(runner, 0, "");
        }
    }

    @Test
    void aTrialMayFinishWithoutASlice() throws Exception {
        try (Runner runner = ready()) {
            assertEquals("result", runner.finish().get("event"));
        }
    }
}
