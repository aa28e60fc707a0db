package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.testing.PlainWorkload;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** The bare loops do what the runner's are compared with. */
class BareTest {
    @TempDir
    static Path folder;

    private static Server server;
    private static String workload;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
        workload = PlainWorkload.write(folder);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    static List<Arguments> loops() {
        Map<String, Object> none = Map.of();
        Map<String, Object> batch = Map.of("depth", 6);
        Map<String, Object> burst = Map.of("depth", 6, "window", "burst");
        Map<String, Object> pool = Map.of("threads", 4, "max_total", 2);
        return List.of(
                Arguments.of("jedis", "sync", none),
                Arguments.of("jedis", "batching", batch),
                Arguments.of("jedis", "pool", pool),
                Arguments.of("lettuce", "sync", none),
                Arguments.of("lettuce", "batching", batch),
                Arguments.of("lettuce", "pipelining", burst));
    }

    private static Map<String, Object> trial(String library, String scenario, Map<String, Object> shape) {
        Map<String, Object> part = Map.of("path", workload);
        return Trials.trial(library, server.port(), "scenario", scenario, "shape", shape, "workload", part);
    }

    @ParameterizedTest
    @MethodSource("loops")
    void theyDoAsManyCommandsAsTheySay(String library, String scenario, Map<String, Object> shape) throws Exception {
        try (Runner bare = Runner.bare(library, trial(library, scenario, shape))) {
            assertEquals(Map.of("event", "ready"), bare.event());
            server.resetCounters();
            bare.go();
            Map<String, Object> result = bare.event();
            Map<String, Long> calls = server.calls();
            assertEquals(Set.of("get", "set"), calls.keySet());
            assertEquals(calls.get("get") + calls.get("set"), ((Number) result.get("operations")).longValue());
            assertTrue(((Number) result.get("elapsed_ns")).longValue() >= 100_000_000);
            assertTrue(((Number) result.get("cpu_ns")).longValue() > 0);
            assertEquals(0, bare.ended().exitCode());
        }
    }

    @Test
    void theyRefuseWhatTheyDoNotHave() throws Exception {
        try (Runner bare = Runner.bare("jedis", trial("jedis", "new-connection", Map.of()))) {
            Runner.Ending ending = bare.ended();
            assertEquals(1, ending.exitCode());
            assertEquals("there is no bare loop for new-connection with jedis", ending.lastLine());
        }
    }
}
