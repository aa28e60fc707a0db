package respmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runner as the harness has it: a process, its lines, its exit code. */
class MainTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path folder;

    private Process process;

    @AfterEach
    void kill() {
        process.destroyForcibly();
    }

    /** What a library returns is in the answer as JSON has it. */
    @Test
    void replies() throws Exception {
        start("work", "sync", "{}");
        ask(null);
        ask("{\"connect\": {}}");
        JsonNode replies = ask("{\"echo\": {\"first\": 0, \"commands\": 6, \"bytes\": 1000}}")
                .get("replies");
        assertEquals(
                "[\"k0\",{\"bytes\":\"AQI=\"},true,[3],[\"a\",[]],{\"map\":[[\"field\",{\"bytes\":\"Aw==\"}]]}]",
                replies.toString());
        assertEquals(0, end());
    }

    /** Units go on through errors and into a log; who hangs is left alone, and does not keep the process from its end. */
    @Test
    void keepsGoing() throws Exception {
        start("break", "threads", "{\"threads\": 2}");
        ask(null);
        ask("{\"connect\": {}}");
        write(keepGoing(System.nanoTime() + 3_000_000_000L, 0, 1, 2, 3, 4, 5, 6, 7));
        assertNotNull(ask(null).get("went"));
        assertEquals(0, end());
        List<JsonNode> log = log();
        assertEquals(
                List.of(0, 1, 2, 3, 4, 5, 6),
                units(log, "began").stream().sorted().toList());
        assertEquals(5, units(log, "ended").size());
        assertEquals(
                Set.of(
                        "{\"walker\":0,\"reply\":\"k0\"}",
                        "{\"walker\":1,\"reply\":[3]}",
                        "{\"walker\":1,\"reply\":[\"a\",[]]}",
                        "{\"walker\":1,\"error\":\"IllegalStateException\",\"text\":\"gone\"}",
                        "{\"walker\":1,\"reply\":\"k0\"}"),
                log.stream()
                        .filter(line -> line.has("ended"))
                        .map(line -> ((ObjectNode) line)
                                .without(List.of("unit", "ended"))
                                .toString())
                        .collect(Collectors.toSet()));
        assertTrue(log.get(log.size() - 1).get("closed").asLong() > 0);
    }

    /** What this machine cannot do is an answer, not a failure; another trial may follow. */
    @Test
    void unsupported() throws Exception {
        start("refuse", "sync", "{}");
        assertEquals("not on this machine", ask(null).get("unsupported").asText());
        assertNotNull(ask(trial("work", "sync", "{}")).get("loaded"));
        assertEquals(0, end());
    }

    /** A failure ends the process; the last line has the library's words, and what is behind them. */
    @Test
    void aFailure() throws Exception {
        start("fail", "sync", "{}");
        ask(null);
        write("{\"connect\": {}}");
        List<String> errors = errors().lines().toList();
        assertEquals("IllegalStateException: no connection; IOException: refused", errors.get(errors.size() - 1));
        assertEquals(1, process.waitFor());
    }

    /** A cold start has its stages, the reply to one command, and a moment before all of them. */
    @Test
    void aColdStart() throws Exception {
        start("respmark.ColdStart", trial("work", "sync", "{}"));
        JsonNode started = ask(null).get("started");
        assertEquals("k0", started.get("reply").asText());
        assertEquals("1.2.3", started.get("versions").get("fake").asText());
        assertTrue(started.get("main_ns").asLong() < System.nanoTime());
        List.of("load_ns", "create_ns", "connect_ns", "first_ns")
                .forEach(stage -> assertTrue(started.get(stage).asLong() > 0, stage));
        assertEquals(0, end());
        assertEquals(List.of("disconnected", "closed sync"), errors().lines().toList());
    }

    private void start(String does, String scenario, String shape) throws IOException {
        start("respmark.Main", trial(does, scenario, shape));
    }

    private void start(String main, String line) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), main).start();
        write(line);
    }

    private String trial(String does, String scenario, String shape) throws IOException {
        return ("{\"client\": \"fake\", \"adapter\": \"respmark.FakeLibrary\", \"options\": {\"does\": \"%s\"}, "
                        + "\"scenario\": \"%s\", \"shape\": %s, \"workload\": \"%s\", "
                        + "\"samples\": 64, \"server\": {\"host\": \"127.0.0.1\", \"port\": 1}}")
                .formatted(does, scenario, shape, PlainWorkload.in(folder));
    }

    /** Units are due so many ns after now. */
    private String keepGoing(long untilNs, long... due) throws IOException {
        ByteBuffer file = ByteBuffer.allocate(due.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.asLongBuffer().put(due);
        Files.write(folder.resolve("due"), file.array());
        Files.createFile(folder.resolve("log"));
        return ("{\"keep_going\": {\"first\": [0, 3], \"due\": {\"file\": \"%1$s/due\", \"at\": %2$d}, \"log\": \"%1$s/log\", "
                        + "\"enough\": \"%1$s/enough\", \"until\": %3$d}}")
                .formatted(folder, System.nanoTime(), untilNs);
    }

    private List<JsonNode> log() throws IOException {
        List<JsonNode> log = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("log"))) {
            log.add(MAPPER.readTree(line));
        }
        return log;
    }

    private static List<Integer> units(List<JsonNode> log, String has) {
        return log.stream()
                .filter(line -> line.has(has))
                .map(line -> line.get("unit").asInt())
                .toList();
    }

    private void write(String line) {
        PrintStream input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        input.println(line);
    }

    private JsonNode ask(String line) throws IOException {
        if (line != null) {
            write(line);
        }
        return MAPPER.readTree(output().readLine());
    }

    private BufferedReader output() {
        return process.inputReader(StandardCharsets.UTF_8);
    }

    private String errors() throws IOException {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private int end() throws Exception {
        process.getOutputStream().close();
        return process.waitFor();
    }
}
