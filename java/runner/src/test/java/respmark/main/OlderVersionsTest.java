package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.contract.Event;
import respmark.contract.Json;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** The runner with an older version of a library, where set-up has built it; where languages are required, it must be. */
class OlderVersionsTest {
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static Path jar(String library, String version) {
        Path jar = Path.of("target", library + "-" + version, "respmark-runner.jar");
        assumeTrue(
                Files.exists(jar) || System.getenv("RESPMARK_REQUIRE") != null,
                jar + " is not there: run `make setup`");
        return jar;
    }

    private static Map<String, Object> trial(String library, String version, Object... changes) {
        Map<String, Object> trial = Trials.trial(library, server.port(), changes);
        trial.put("client", Map.of("library", library, "version", version, "options", Map.of()));
        return trial;
    }

    private static Runner run(String library, String version, Object... changes) throws IOException {
        Runner runner = Runner.older(jar(library, version), "run");
        runner.write(Json.line(trial(library, version, changes)));
        runner.write(Runner.CONNECT);
        return runner;
    }

    @ParameterizedTest
    @CsvSource({"jedis, 3.6.0, '[2]'", "lettuce, 6.0.2.RELEASE, '[3, 2]'"})
    void itIsTheVersionThatIsLoaded(String library, String version, String protocols) throws Exception {
        try (Runner runner = Runner.older(jar(library, version), "describe")) {
            List<?> clients = (List<?>) runner.event().get("clients");
            Map<?, ?> client = clients.stream()
                    .map(each -> (Map<?, ?>) each)
                    .filter(each -> each.get("library").equals(library))
                    .findFirst()
                    .orElseThrow();
            assertEquals(version, client.get("version"));
            assertEquals(
                    protocols,
                    ((Map<?, ?>) client.get("options")).get("protocol").toString());
        }
    }

    static List<Arguments> scenarios() {
        return List.of(
                Arguments.of("jedis", "3.6.0", "batching", Event.ordered("depth", 7), 1L, 0L),
                Arguments.of("jedis", "3.6.0", "threads", Event.ordered("threads", 3, "connections", 1), 3L, 0L),
                Arguments.of(
                        "lettuce",
                        "6.0.2.RELEASE",
                        "transaction",
                        Event.ordered("depth", 7, "form", "batched"),
                        1L,
                        1L));
    }

    /** Connections are open before the slice and stay open after it. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void itWorksAsTheVersionDoes(
            String library, String version, String scenario, Map<String, Object> shape, long connections, long hellos)
            throws Exception {
        server.resetCounters();
        try (Runner runner = run(library, version, "scenario", scenario, "shape", shape)) {
            assertEquals("loaded", runner.event().get("event"));
            assertEquals("ready", runner.event().get("event"));
            assertEquals(hellos, server.hellos());
            assertEquals(Map.of(), runner.slice().get("errors"));
            assertEquals(version, ((Map<?, ?>) runner.finish().get("versions")).get(library));
            assertEquals(connections, server.figure("clients", "connected_clients") - 1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jedis, 3.6.0, queued, it has form batched",
        "jedis, 8.0.2, batched, 'this environment has jedis 3.6.0, not 8.0.2'"
    })
    void whatItLacksIsUnsupported(String library, String version, String form, String reason) throws Exception {
        Path jar = jar(library, "3.6.0");
        Map<String, Object> shape = Event.ordered("depth", 7, "form", form);
        try (Runner runner = Runner.older(jar, "run")) {
            runner.write(Json.line(trial(library, version, "scenario", "transaction", "shape", shape)));
            runner.write(Runner.CONNECT);
            Runner.Ending ending = runner.ended();
            assertEquals(3, ending.exitCode());
            assertTrue(ending.stderr().contains(reason), ending.stderr());
        }
    }
}
