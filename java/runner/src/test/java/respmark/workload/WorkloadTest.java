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
import respmark.testing.Golden;
import respmark.testing.PlainWorkload;

class WorkloadTest {
    @TempDir
    Path folder;

    private static List<List<String>> written(Form<?> form) {
        Workload workload = WorkloadFile.read(Golden.workload());
        Commands<?> commands = workload.commands(form, 0);
        return IntStream.range(0, workload.length())
                .mapToObj(i -> words(commands, i))
                .toList();
    }

    private static List<String> words(Commands<?> commands, int command) {
        List<String> words = new ArrayList<>(List.of(commands.names().get(commands.kind(command))));
        for (int i = 0; i < commands.words(command); i++) {
            Object word = commands.word(command, i);
            words.add(word instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) word);
        }
        return words;
    }

    @Test
    void theGoldenFileHoldsTheGoldenCommandsAsText() throws Json.NotJson {
        assertEquals(Golden.json("workload.json").get("commands"), written(Form.TEXT));
    }

    @Test
    void theGoldenFileHoldsTheGoldenCommandsAsBytes() throws Json.NotJson {
        assertEquals(Golden.json("workload.json").get("commands"), written(Form.BYTES));
    }

    @Test
    void theFirstCommandsComeAgainBehindTheLast() {
        Workload workload = WorkloadFile.read(Golden.workload());
        Commands<String> commands = workload.commands(Form.TEXT, 500);
        for (int i = 0; i < 500; i++) {
            assertEquals(words(commands, i), words(commands, workload.length() + i));
        }
    }

    @Test
    void keysAndValuesAreThoseOfTheWords() {
        Commands<String> commands = WorkloadFile.read(Golden.workload()).commands(Form.TEXT, 0);
        assertEquals(Commands.GET, commands.method(0));
        assertEquals("key:0000004", commands.key(0));
        assertEquals(Commands.OTHER, commands.method(3));
        assertEquals(Commands.SET, commands.method(6));
        assertEquals(words(commands, 6).get(2), commands.value(6));
    }

    @Test
    void valuesThatAreEqualAreOneObject() throws IOException {
        Commands<String> commands =
                WorkloadFile.read(PlainWorkload.write(folder)).commands(Form.TEXT, 0);
        assertEquals(commands.value(2), commands.value(2 + 30));
        assertSame(commands.value(2), commands.value(2 + 30));
    }

    @Test
    void manyValuesKeepTheirPlaces() {
        Distinct<String> distinct = new Distinct<>(Form.TEXT);
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
