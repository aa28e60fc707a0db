package respmark.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import respmark.contract.Json;
import respmark.errors.InvalidInput;
import respmark.testing.Golden;

class WorkloadTest {
    @TempDir
    Path folder;

    private static List<List<String>> written(Form<?> form) {
        Workload workload = WorkloadFile.read(Golden.workload());
        List<List<String>> commands = new ArrayList<>();
        for (int i = 0; i < workload.length(); i++) {
            List<String> words = new ArrayList<>(List.of(workload.name(i)));
            for (Object word : workload.arguments(i, form)) {
                words.add(word instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) word);
            }
            commands.add(words);
        }
        return commands;
    }

    @Test
    void theGoldenFileHoldsTheGoldenCommandsAsText() throws Json.NotJson {
        assertEquals(Golden.json("workload.json").get("commands"), written(Form.TEXT));
    }

    @Test
    void theGoldenFileHoldsTheGoldenCommandsAsBytes() throws Json.NotJson {
        assertEquals(Golden.json("workload.json").get("commands"), written(Form.BYTES));
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
    void aNewerLayoutIsRefused() throws IOException {
        byte[] golden = Files.readAllBytes(Path.of(Golden.workload()));
        golden[8] = 2;
        assertTrue(refusal(golden).contains("layout 2 is newer than this runner"));
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
