package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** A target that goes away in the window, or that lets the client wait. */
class LostTest {
    static List<Arguments> scenarios() {
        Map<String, Object> none = Map.of();
        Map<String, Object> pool = Map.of("threads", 3, "max_total", 3);
        Map<String, Object> sliding = Map.of("depth", 10, "window", "sliding");
        return List.of(
                Arguments.of("jedis", "sync", none),
                Arguments.of("jedis", "pool", pool),
                Arguments.of("jedis", "new-connection", none),
                Arguments.of("lettuce", "sync", none),
                Arguments.of("lettuce", "pipelining", sliding),
                Arguments.of("lettuce", "new-connection", none));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void aTargetThatDiesExitsWith4AndNoResult(String library, String scenario, Map<String, Object> shape)
            throws Exception {
        try (Server server = Server.start()) {
            Map<String, Object> trial =
                    Trials.trial(library, server.port(), "scenario", scenario, "shape", shape, "measure_s", 60);
            try (Runner runner = Runner.with(trial)) {
                runner.event();
                runner.go();
                assertEquals("progress", runner.event().get("event"));
                server.kill();
                Runner.Ending ending = runner.ended();
                assertEquals(4, ending.exitCode(), ending.stderr());
                assertTrue(ending.lastLine().startsWith("the target 127.0.0.1:" + server.port() + " was lost: "));
                assertTrue(ending.lastLine().endsWith("; see whether it still runs, then run again"));
            }
        }
    }

    @Test
    void aConnectionThatIsCutIsCountedAndTheWindowGoesOn() throws Exception {
        try (Server server = Server.start();
                Runner runner = Runner.with(Trials.trial("jedis", server.port(), "measure_s", 1.5))) {
            runner.event();
            runner.go();
            runner.event();
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            Map<String, Object> result = runner.result();
            assertEquals(Map.of("JedisConnectionException", 1), result.get("errors"));
            assertTrue(((String) result.get("first_error")).startsWith("JedisConnectionException: "));
            assertTrue(((Number) result.get("operations")).longValue() > 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aPoolThatIsExhaustedIsWaitedForWithALimitAndCounted(String library) throws Exception {
        Map<String, Object> shape = Map.of("threads", 2, "max_total", 1);
        try (Server server = Server.start()) {
            Map<String, Object> trial =
                    Trials.trial(library, server.port(), "scenario", "pool", "shape", shape, "measure_s", 4);
            try (Runner runner = Runner.with(trial)) {
                runner.event();
                server.command("CLIENT", "PAUSE", "3000", "ALL");
                runner.go();
                Map<String, Object> result = runner.result();
                Map<?, ?> errors = (Map<?, ?>) result.get("errors");
                Set<?> expected = library.equals("jedis") ? Set.of("JedisException") : Set.of("NoSuchElementException");
                assertTrue(errors.keySet().containsAll(expected), errors.toString());
                assertTrue(((Number) result.get("operations")).longValue() > 0);
            }
        }
    }

    @Test
    void itEndsAtOnceOnSigterm() throws Exception {
        try (Server server = Server.start();
                Runner runner = Runner.with(Trials.trial("lettuce", server.port(), "measure_s", 60))) {
            runner.event();
            runner.go();
            runner.terminate();
            assertEquals("", runner.ended().stderr());
        }
    }
}
