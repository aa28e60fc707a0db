package respmark.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import respmark.contract.Json;
import respmark.errors.InvalidInput;
import respmark.errors.Unsupported;
import respmark.testing.Golden;
import respmark.testing.PlainWorkload;

class WorkloadTest {
    @TempDir
    Path folder;

    private static List<List<String>> written(String path) {
        Workload workload = WorkloadFile.read(path);
        return IntStream.range(0, workload.length()).mapToObj(workload::words).toList();
    }

    @Test
    void theGoldenFilesHoldTheGoldenCommands() throws Json.NotJson {
        assertEquals(Golden.json("workload.json").get("commands"), written(Golden.workload()));
        assertEquals(Golden.json("commands.json").get("commands"), written(Golden.commands()));
    }

    private static String text(Object word) {
        return word instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) word;
    }

    /** What a library is given for a command, in the command's order. */
    private static List<String> given(Commands<?> commands, int command) {
        byte method = commands.method(command);
        if (method == Method.MGET || method == Method.MSET) {
            return Arrays.stream(commands.words(command))
                    .map(WorkloadTest::text)
                    .toList();
        }
        List<String> given = new ArrayList<>();
        if (commands.key(command) != null) {
            given.add(text(commands.key(command)));
        }
        if (method == Method.ZADD) {
            given.add(String.valueOf(commands.score(command)));
        }
        if (List.of(Method.EXPIRE, Method.INCRBY, Method.GETRANGE, Method.LTRIM, Method.LRANGE)
                .contains(method)) {
            given.add(String.valueOf(commands.number(command)));
        }
        if (List.of(Method.GETRANGE, Method.LTRIM, Method.LRANGE).contains(method)) {
            given.add(String.valueOf(commands.secondNumber(command)));
        }
        if (commands.value(command) != null) {
            given.add(text(commands.value(command)));
        }
        return given;
    }

    @Test
    void aLibraryIsGivenTheWordsOfEveryCommand() {
        for (String path : List.of(Golden.workload(), Golden.commands())) {
            Workload workload = WorkloadFile.read(path);
            for (WordType<?> form : List.of(WordType.TEXT, WordType.BYTES)) {
                Commands<?> commands = workload.commands(form, 500);
                for (int i = 0; i < workload.length() + 500; i++) {
                    List<String> words = workload.words(i % workload.length());
                    assertEquals(words.subList(1, words.size()), given(commands, i));
                }
            }
        }
    }

    @Test
    void aCommandThatNoMethodSendsIsRefused() {
        Header.Argument key = new Header.Argument("key", null, 0);
        Header.Argument text = new Header.Argument("literal", "EX", 0);
        for (Header.Kind kind : List.of(
                new Header.Kind("NOSUCH", List.of(key)),
                new Header.Kind("EXPIRE", List.of(key)),
                new Header.Kind("EXPIRE", List.of(key, text)))) {
            String message =
                    assertThrows(Unsupported.class, () -> Method.of(kind)).getMessage();
            assertTrue(message.startsWith("no method here sends " + kind.name()), message);
        }
    }

    @Test
    void valuesThatAreEqualAreOneObject() throws IOException {
        Commands<String> commands =
                WorkloadFile.read(PlainWorkload.write(folder)).commands(WordType.TEXT, 0);
        assertEquals(commands.value(2), commands.value(2 + 30));
        assertSame(commands.value(2), commands.value(2 + 30));
    }

    @Test
    void manyValuesKeepTheirPlaces() {
        Distinct<String> distinct = new Distinct<>(WordType.TEXT);
        for (long i = 0; i < 5_000; i++) {
            distinct.put(i << 20, String.valueOf(i));
        }
        for (long i = 0; i < 5_000; i++) {
            assertEquals(String.valueOf(i), distinct.get(i << 20));
        }
        assertNull(distinct.get(7));
    }

    private String refusal(byte[] content) throws IOException {
        Path path = folder.resolve("a.workload");
        Files.write(path, content);
        String message = assertThrows(InvalidInput.class, () -> WorkloadFile.read(path.toString()))
                .getMessage();
        assertTrue(message.startsWith("workload file " + path + ": "), message);
        return message;
    }

    @Test
    void whatIsNoWorkloadFileIsRefused() throws IOException {
        assertTrue(refusal("something else altogether".getBytes(StandardCharsets.UTF_8))
                .contains("start with RESPMARK"));
        assertTrue(refusal(new byte[3]).contains("start with RESPMARK"));
    }

    @Test
    void aFileThatIsCutOffIsRefused() throws IOException {
        byte[] golden = Files.readAllBytes(Path.of(Golden.workload()));
        assertTrue(refusal(Arrays.copyOf(golden, golden.length - 1)).contains("cut off"));
        assertTrue(refusal(Arrays.copyOf(golden, 40)).contains("cut off"));
    }

    @Test
    void anotherLayoutIsRefused() throws IOException {
        byte[] golden = Files.readAllBytes(Path.of(Golden.workload()));
        golden[8] = 3;
        assertTrue(refusal(golden).contains("layout is 3 and this runner reads 2"));
    }

    @Test
    void anUnknownFieldOfTheHeaderIsRefused() throws IOException {
        String golden = Files.readString(Path.of(Golden.workload()), StandardCharsets.ISO_8859_1);
        byte[] changed = golden.replaceFirst("\"seed\"", "\"tree\"").getBytes(StandardCharsets.ISO_8859_1);
        assertTrue(refusal(changed).contains("seed is missing"));
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        InvalidInput refusal = assertThrows(InvalidInput.class, () -> WorkloadFile.read("/none/at.all"));
        assertEquals(
                "workload file /none/at.all: it does not exist: make the workload file first", refusal.getMessage());
    }
}
