package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import respmark.contract.Json;
import respmark.contract.Limits;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** A target that goes away in a slice, or that lets the client wait. */
class LostTest {
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final long SOME_CALLS = 20;
    private static final String TWICE_THE_POOLS_WAIT_MS = Long.toString(2 * Limits.POOL_WAIT.toMillis());

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

    private static void awaitCalls(Server server) throws InterruptedException {
        while (server.calls().values().stream().mapToLong(Long::longValue).sum() < SOME_CALLS) {
            Thread.sleep(10);
        }
    }

    /** Orders a long slice and returns when the server has seen some of it. */
    private static void begin(Runner runner, Server server, long durationNs) throws Exception {
        server.resetCounters();
        runner.write(Json.line(Trials.slice("duration_ns", durationNs)));
        awaitCalls(server);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void aTargetThatDiesExitsWith4AndNoAnswer(String library, String scenario, Map<String, Object> shape)
            throws Exception {
        try (Server server = Server.start()) {
            Map<String, Object> trial = Trials.trial(library, server.port(), "scenario", scenario, "shape", shape);
            try (Runner runner = Runner.ready(trial)) {
                begin(runner, server, MINUTE_NS);
                server.kill();
                Runner.Ending ending = runner.ended();
                assertEquals(4, ending.exitCode(), ending.stderr());
                assertTrue(ending.lastLine().startsWith("127.0.0.1:" + server.port() + " was lost: "));
                assertTrue(ending.lastLine().endsWith(": see whether it still runs, then run again"));
            }
        }
    }

    /** Lettuce would wait for a minute; no answer for as long as the contract says is enough. */
    @Test
    void aTargetThatFallsSilentExitsWith4() throws Exception {
        try (Server server = Server.start();
                Runner runner = Runner.ready(Trials.trial("lettuce", server.port()))) {
            begin(runner, server, MINUTE_NS);
            server.command("CLIENT", "PAUSE", "60000", "ALL");
            Runner.Ending ending = runner.ended();
            assertEquals(4, ending.exitCode(), ending.stderr());
            assertTrue(ending.lastLine().contains("was lost: no unit succeeded for 10 s: see"), ending.stderr());
        }
    }

    @Test
    void aConnectionThatIsCutIsCountedAndTheSliceGoesOn() throws Exception {
        try (Server server = Server.start();
                Runner runner = Runner.ready(Trials.trial("jedis", server.port()))) {
            begin(runner, server, MINUTE_NS / 40);
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            Map<String, Object> slice = runner.event();
            assertEquals(Map.of("JedisConnectionException", 1), slice.get("errors"));
            assertTrue(((String) slice.get("first_error")).startsWith("JedisConnectionException: "));
            Map<String, Object> next = runner.slice("slice", 2);
            assertEquals(Map.of(), next.get("errors"));
            assertNull(next.get("first_error"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aPoolThatIsExhaustedIsWaitedForWithALimitAndCounted(String library) throws Exception {
        // Jedis gives a connection up that has been silent for 2 s: one of the three who wait for it may get the next.
        Map<String, Object> shape = Map.of("threads", 4, "max_total", 1);
        try (Server server = Server.start()) {
            Map<String, Object> trial = Trials.trial(library, server.port(), "scenario", "pool", "shape", shape);
            try (Runner runner = Runner.ready(trial)) {
                begin(runner, server, MINUTE_NS / 8);
                server.command("CLIENT", "PAUSE", TWICE_THE_POOLS_WAIT_MS, "ALL");
                Map<String, Object> slice = runner.event();
                Map<?, ?> errors = (Map<?, ?>) slice.get("errors");
                Set<?> expected = library.equals("jedis") ? Set.of("JedisException") : Set.of("NoSuchElementException");
                assertTrue(errors.keySet().containsAll(expected), errors.toString());
                assertTrue(((Number) ((Map<?, ?>) slice.get("measured")).get("operations")).longValue() > 0);
            }
        }
    }

    @Test
    void itEndsAtOnceOnSigterm() throws Exception {
        try (Server server = Server.start();
                Runner runner = Runner.ready(Trials.trial("lettuce", server.port()))) {
            begin(runner, server, MINUTE_NS);
            runner.terminate();
            assertEquals("", runner.ended().stderr());
        }
    }
}
