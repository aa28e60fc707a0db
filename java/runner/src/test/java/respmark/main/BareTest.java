package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.testing.PlainWorkload;
import respmark.testing.Runner;
import respmark.testing.Server;

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

    static List<List<String>> loops() {
        return List.of(
                List.of("jedis", "--scenario", "sync"),
                List.of("jedis", "--scenario", "batching", "--depth", "6"),
                List.of("jedis", "--scenario", "pool", "--threads", "4", "--max-total", "2"),
                List.of("lettuce", "--scenario", "sync"),
                List.of("lettuce", "--scenario", "sync", "--api", "async"),
                List.of("lettuce", "--scenario", "sync", "--api", "reactive"),
                List.of("lettuce", "--scenario", "batching", "--depth", "6", "--api", "reactive"),
                List.of("lettuce", "--scenario", "batching", "--depth", "6"),
                List.of("lettuce", "--scenario", "batching", "--depth", "100"),
                List.of("lettuce", "--scenario", "pipelining", "--depth", "6", "--window", "burst"),
                List.of("lettuce", "--scenario", "sync", "--protocol", "2", "--command-timeout", "off"));
    }

    private static Runner bare(List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        Collections.addAll(all, "--warm-up-s", "0.1");
        Collections.addAll(all, "--host", "127.0.0.1", "--port", String.valueOf(server.port()), "--workload", workload);
        return Runner.bare(all.toArray(new String[0]));
    }

    @ParameterizedTest
    @MethodSource("loops")
    void eachLineIsAnsweredWithAsManyCommandsAsTheServerCounted(List<String> arguments) throws Exception {
        try (Runner bare = bare(arguments)) {
            assertEquals("ready", bare.line());
            for (String line : List.of("0.05 0", "0.05 31")) {
                server.resetCounters();
                bare.write(line);
                List<Long> answer =
                        Stream.of(bare.line().split(" ", -1)).map(Long::valueOf).toList();
                Map<String, Long> calls = server.calls();
                assertEquals(Set.of("get", "set"), calls.keySet());
                assertEquals(calls.get("get") + calls.get("set"), answer.get(0));
                assertTrue(answer.get(1) >= 50_000_000);
                assertTrue(answer.get(2) > 0);
            }
            bare.closeInput();
            assertEquals(new Runner.Ending(0, ""), bare.ended());
        }
    }

    /** Command 2 is the first SET: a stretch of a nanosecond is one command. */
    @Test
    void aStretchBeginsAtItsFirstCommand() throws Exception {
        try (Runner bare = bare(List.of("jedis", "--scenario", "sync"))) {
            bare.line();
            server.resetCounters();
            bare.write("0.000000001 2");
            bare.line();
            assertEquals(Map.of("set", 1L), server.calls());
        }
    }

    @Test
    void theyRefuseWhatTheyDoNotHave() throws Exception {
        try (Runner bare = bare(List.of("jedis", "--scenario", "new-connection"))) {
            Runner.Ending ending = bare.ended();
            assertEquals(1, ending.exitCode());
            assertEquals("there is no bare loop for new-connection with jedis", ending.lastLine());
        }
    }

    @Test
    void anOptionThatTheyDoNotHaveIsRefused() throws Exception {
        try (Runner bare = bare(List.of("jedis", "--scenario", "sync", "--decode", "bytes"))) {
            assertEquals("the bare loops have no --decode", bare.ended().lastLine());
        }
    }

    @Test
    void withoutWhatTheyNeedTheySayHowTheyAreStarted() throws Exception {
        try (Runner bare = Runner.bare("jedis", "--host", "127.0.0.1")) {
            assertTrue(bare.ended().lastLine().startsWith("usage: LIBRARY --host HOST --port PORT"));
        }
    }
}
