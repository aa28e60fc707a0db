package respmark.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import respmark.errors.InvalidInput;
import respmark.testing.Golden;

class OrderTest {
    static List<Path> valid() throws IOException {
        return Golden.files("orders/valid");
    }

    static List<Path> invalid() throws IOException {
        return Golden.files("orders/invalid");
    }

    @ParameterizedTest
    @MethodSource("valid")
    void everyValidOrderIsRead(Path path) {
        String word = Order.parse(Golden.text(path)).word();
        assertTrue(path.getFileName().toString().startsWith(word), word);
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void everyInvalidOrderIsRefusedWithTheFieldsName(Path path) {
        InvalidInput refusal = assertThrows(InvalidInput.class, () -> Order.parse(Golden.text(path)));
        assertTrue(refusal.getMessage().startsWith("order."), refusal.getMessage());
        assertEquals(2, refusal.exitCode());
    }

    @Test
    void aSliceIsReadWhole() {
        Order order = Order.parse(Golden.text(Golden.path("orders/valid/slice.json")));
        assertEquals(new Order.Slice(1, 100_000_000, 50_000_000, 60, true), order);
    }

    @Test
    void withoutALeadInThereIsNone() {
        String line = "{\"order\":\"slice\",\"slice\":3,\"duration_ns\":1,\"first_command\":0,\"keep_samples\":false}";
        assertEquals(new Order.Slice(3, 1, 0, 0, false), Order.parse(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "finish", "[]", "{\"order\":\"finish\"} {}"})
    void whatIsNoObjectIsRefused(String line) {
        assertThrows(InvalidInput.class, () -> Order.parse(line));
    }
}
