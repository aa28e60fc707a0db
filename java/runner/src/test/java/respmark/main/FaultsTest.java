package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import respmark.contract.Json;
import respmark.testing.Golden;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;

/** Faults end with the contract's exit code and one sentence: what, where, what to do. */
class FaultsTest {
    private static final String PASSWORD = "a-hidden-word";
    private static final long MINUTE_NS = 60_000_000_000L;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
        server.command("ACL", "SETUSER", "reader", "on", ">" + PASSWORD, "~*", "+@all", "-set");
        server.command("ACL", "SETUSER", "writer", "on", ">" + PASSWORD, "~*", "+@all");
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static void refused(int exitCode, String sentence, Runner.Ending ending) {
        assertTrue(ending.lastLine().contains(sentence), ending.stderr());
        assertEquals(exitCode, ending.exitCode(), ending.stderr());
        assertEquals(1, ending.stderr().strip().split("\n").length, ending.stderr());
        assertFalse(ending.stderr().contains(PASSWORD), ending.stderr());
    }

    private static void refused(int exitCode, String sentence, Map<String, Object> trial) throws Exception {
        refused(exitCode, sentence, Runner.failing(trial));
    }

    static List<Path> invalid() throws IOException {
        return Golden.files("trials/invalid");
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void aTrialThatIsNotValidExitsWith2(Path path) throws Exception {
        String line = Golden.text(path).replace("\n", " ");
        refused(2, "trial", Runner.failing(line));
    }

    @Test
    void whatIsNoJsonExitsWith2() throws Exception {
        refused(2, "not one line of JSON", Runner.failing("sync, please"));
    }

    @Test
    void nothingAtAllExitsWith2() throws Exception {
        try (Runner runner = Runner.command("run")) {
            runner.closeInput();
            refused(2, "standard input is empty", runner.ended());
        }
    }

    @Test
    void anotherCommandExitsWith2() throws Exception {
        try (Runner runner = Runner.command("walk")) {
            refused(2, "usage: ", runner.ended());
        }
    }

    @Test
    void whatTheClientDoesNotHaveExitsWith2() throws Exception {
        refused(2, "trial.client.library must be one of jedis, lettuce", Trials.trial("redisson", server.port()));
        Map<String, Object> option = Trials.client("jedis", "transport", "nio");
        refused(
                2,
                "trial.client.options.transport is unknown; known are decode",
                Trials.trial("", server.port(), "client", option));
        Map<String, Object> value = Trials.client("lettuce", "decode", "json");
        refused(2, "decode must be one of [text, bytes]", Trials.trial("", server.port(), "client", value));
    }

    @Test
    void aWorkloadThatCannotBeReadExitsWith2() throws Exception {
        Map<String, Object> workload = Map.of("path", "/none/at.all");
        refused(2, "/none/at.all: it does not exist", Trials.trial("jedis", server.port(), "workload", workload));
    }

    @Test
    void aCommandThatPipelinesHaveNoMethodForExitsWith3() throws Exception {
        Map<String, Object> trial =
                Trials.trial("jedis", server.port(), "scenario", "batching", "shape", Map.of("depth", 2));
        refused(3, "pipelines and transactions of jedis have no ping()", trial);
    }

    @Test
    void whatTheClientCannotExpressExitsWith3() throws Exception {
        Map<String, Object> burst = Map.of("depth", 2, "window", "burst");
        refused(
                3,
                "jedis cannot do this pipelining: Jedis has only a synchronous API",
                Trials.trial("jedis", server.port(), "scenario", "pipelining", "shape", burst));
        Map<String, Object> queued = Map.of("depth", 2, "form", "queued");
        refused(
                3,
                "it has form batched, not queued",
                Trials.trial("lettuce", server.port(), "scenario", "transaction", "shape", queued));
        Map<String, Object> version = Map.of("library", "jedis", "version", "3.6.0");
        refused(
                3,
                ", not 3.6.0: run the trial in the environment jedis-3.6.0",
                Trials.trial("", server.port(), "client", version));
        Map<String, Object> socket = Map.of("unix_socket", "/none.sock");
        refused(3, "no unix sockets", Trials.trial("jedis", 0, "target", socket));
        refused(3, "use transport=epoll", Trials.trial("lettuce", 0, "target", socket));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aTargetThatIsNotThereExitsWith4(String library) throws Exception {
        int port = Server.freePort();
        refused(4, "127.0.0.1:" + port + " refuses connections", Trials.trial(library, port));
        Map<String, Object> pool = Map.of("threads", 2, "max_total", 2);
        refused(4, "refuses connections", Trials.trial(library, port, "scenario", "pool", "shape", pool));
        Map<String, Object> unknown = Map.of("host", "no.such.host.invalid", "port", 1);
        refused(4, "is not a known host", Trials.trial(library, 0, "target", unknown));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aWrongPasswordExitsWith4(String library) throws Exception {
        Map<String, Object> target = Trials.target(server.port(), "username", "reader", "password", PASSWORD + "!");
        refused(4, "refused the user or the password", Trials.trial(library, 0, "target", target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void theRightPasswordLetsIn(String library) throws Exception {
        Map<String, Object> target =
                Trials.target(server.port(), "username", "writer", "password", PASSWORD, "database", 1);
        Map<String, Object> trial =
                Trials.trial(library, 0, "target", target, "verify_commands", 0, "scenario", "new-connection");
        assertEquals(0, endingOfWhole(trial).exitCode());
    }

    private static Runner.Ending endingOfWhole(Map<String, Object> trial) throws Exception {
        try (Runner runner = Runner.ready(trial)) {
            assertEquals(Map.of(), runner.slice().get("errors"));
            assertEquals("result", runner.finish().get("event"));
            runner.closeInput();
            return runner.ended();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aCommandThatIsNotPermittedExitsWith4(String library) throws Exception {
        Map<String, Object> target = Trials.target(server.port(), "username", "reader", "password", PASSWORD);
        String sentence = "refused a command of the workload";
        refused(4, sentence, Trials.trial(library, 0, "target", target));
        Map<String, Object> unverified = Trials.trial(
                library,
                0,
                "target",
                target,
                "verify_commands",
                0,
                "scenario",
                "batching",
                "shape",
                Map.of("depth", 100),
                "workload",
                Map.of("path", Golden.commands()));
        try (Runner runner = Runner.ready(unverified)) {
            runner.write(Json.line(Trials.slice("duration_ns", MINUTE_NS)));
            refused(4, "was lost: 25 units in a row failed", runner.ended());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aDatabaseThatThereIsNotExitsWith4(String library) throws Exception {
        Map<String, Object> target = Trials.target(server.port(), "database", 999);
        refused(4, "refused the database", Trials.trial(library, 0, "target", target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aServerThatIsLoadingExitsWith4(String library) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> answer(listener, "-LOADING Redis is loading the dataset in memory\r\n"));
            thread.setDaemon(true);
            thread.start();
            refused(4, "is still loading its data set", Trials.trial(library, listener.getLocalPort()));
        }
    }

    /** Gives one answer to whatever is sent, until the socket closes. */
    private static void answer(ServerSocket listener, String answer) {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept();
                    OutputStream output = socket.getOutputStream()) {
                byte[] read = new byte[4096];
                while (socket.getInputStream().read(read) > 0) {
                    output.write(answer.repeat(3).getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException error) {
                // The client hung up, as it should; or the test has closed the listener.
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void verificationFindsAValueThatIsNotItsKeysInEveryScenario(String library) throws Exception {
        String key = "other:0000040";
        server.preloadStructures();
        String right = server.value(key);
        server.command("SET", key, "x".repeat(Server.SIZE));
        try {
            for (Map.Entry<String, Map<String, Object>> scenario : Map.<String, Map<String, Object>>of(
                            "sync", Map.of(),
                            "batching", Map.of("depth", 10),
                            "transaction", Map.of("depth", 10, "form", "batched"),
                            "threads", Map.of("threads", 2, "connections", 1),
                            "pool", Map.of("threads", 1, "max_total", 1))
                    .entrySet()) {
                Map<String, Object> trial = Trials.trial(
                        library,
                        server.port(),
                        "scenario",
                        scenario.getKey(),
                        "shape",
                        scenario.getValue(),
                        "workload",
                        Map.of("path", Golden.commands()));
                refused(1, "command 9 of the workload, GET other:0000040 is not the value of its key", trial);
            }
        } finally {
            server.command("SET", key, right);
        }
    }

    @Test
    void verificationFindsACommandThatTheServerRejects() throws Exception {
        String key = "key:0000004";
        String right = server.value(key);
        server.command("DEL", key);
        server.command("LPUSH", key, "a");
        try {
            refused(1, "failed in verification (JedisDataException: WRONGTYPE", Trials.trial("jedis", server.port()));
            refused(
                    1,
                    "failed in verification (RedisCommandExecutionException: WRONGTYPE",
                    Trials.trial("lettuce", server.port()));
        } finally {
            server.command("SET", key, right);
        }
    }

    @Test
    void tlsFilesThatCannotBeReadExitWith2() throws Exception {
        Map<String, Object> target = Trials.target(server.port(), "tls", Map.of("ca_file", "/none.pem"));
        for (String library : List.of("jedis", "lettuce")) {
            refused(2, "trial.target.tls.ca_file cannot be used", Trials.trial(library, 0, "target", target));
        }
    }

    @Test
    void aServerThatSpeaksNoTlsExitsWith4() throws Exception {
        Map<String, Object> target = Trials.target(server.port(), "tls", Map.of());
        for (String library : List.of("jedis", "lettuce")) {
            Runner.Ending ending = Runner.failing(Trials.trial(library, 0, "target", target));
            assertEquals(4, ending.exitCode(), ending.stderr());
            assertTrue(ending.lastLine().contains("TLS"), ending.stderr());
        }
    }

    @Test
    void theGoldenTrialsOfAnotherLibraryAreRefusedByName() throws Exception {
        String line = Files.readString(Golden.path("trials/valid/sync.json")).replace("\n", " ");
        refused(2, "trial.client.library must be one of jedis, lettuce, not a-library", Runner.failing(line));
    }
}
