package respmark.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.errors.InvalidInput;
import respmark.testing.Golden;

class TrialParserTest {
    private static final String SYNC = Golden.text(Golden.path("trials/valid/sync.json"));

    static List<Path> valid() throws IOException {
        return Golden.files("trials/valid");
    }

    static List<Path> invalid() throws IOException {
        return Golden.files("trials/invalid");
    }

    @ParameterizedTest
    @MethodSource("valid")
    void everyValidTrialIsRead(Path path) {
        Trial trial = TrialParser.parse(Golden.text(path));
        assertEquals("golden", trial.trialId());
        assertEquals(100, trial.verifyCommands());
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void everyInvalidInputIsRefusedWithTheFieldsName(Path path) {
        InvalidInput refusal = assertThrows(InvalidInput.class, () -> TrialParser.parse(Golden.text(path)));
        assertTrue(refusal.getMessage().startsWith("trial"), refusal.getMessage());
        assertEquals(2, refusal.exitCode());
    }

    @Test
    void theShapeIsReadWhole() {
        Trial.Shape shape = TrialParser.parse(Golden.text(Golden.path("trials/valid/pool.json")))
                .shape();
        assertEquals(new Trial.Shape(null, null, null, 10, null, 8, 4, null, 1), shape);
    }

    @Test
    void thePasswordIsReadAndNeverShown() {
        Trial trial = TrialParser.parse(Golden.text(Golden.path("trials/valid/secured-target.json")));
        assertEquals("golden-secret", trial.target().password());
        assertFalse(trial.toString().contains("golden-secret"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":1}                     | schema_version is missing",
                "sync, please                  | not one line of JSON",
                "''                            | not one line of JSON",
                "{\"a\":1,\"a\":1}             | Duplicate field",
                "{} {}                         | something follows the end",
                "[1]                           | must be an object",
                "{\"schema_version\":NaN}      | not one line of JSON",
            })
    void whatIsNoTrialIsRefused(String line, String reason) {
        InvalidInput refusal = assertThrows(InvalidInput.class, () -> TrialParser.parse(line));
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"verify_commands\": 100 | \"verify_commands\": -1 | trial.verify_commands must be a whole number",
                "\"verify_commands\": 100 | \"verify_commands\": 1, \"warmup_s\": 1 | trial.warmup_s is unknown",
                "\"schema_version\": 2 | \"schema_version\": 1 | trial.schema_version must be 2",
                "\"port\": 6379     | \"port\": 65536     | trial.target.port must be a whole number from 1 to 65535",
                "\"port\": 6379     | \"port\": 1e3       | trial.target.port must be a whole number",
                "\"part\": 0        | \"part\": 1         | trial.workload.part must be below parts (1), not 1",
                "\"protocol\": 3    | \"protocol\": 3.5   | trial.client.options.protocol must be a text",
                "\"protocol\": 3    | \"protocol\": null  | trial.client.options.protocol must be a text",
                "\"shape\": {}      | \"shape\": {\"max_idle\": 1} | has max_idle, which sync does not use",
            })
    void aWrongValueIsRefusedWithTheFieldsName(String from, String to, String reason) {
        String line = SYNC.replace(from, to);
        assertFalse(line.equals(SYNC), "the golden trial has no " + from);
        InvalidInput refusal = assertThrows(InvalidInput.class, () -> TrialParser.parse(line));
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }
}
