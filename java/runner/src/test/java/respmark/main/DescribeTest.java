package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.scenarios.ThreadKind;
import respmark.testing.Golden;
import respmark.testing.Runner;

class DescribeTest {
    @Test
    void itSaysWhatItCanDoHere() throws Exception {
        try (Runner runner = Runner.command("describe")) {
            Map<String, Object> description = runner.event();
            assertEquals(new Runner.Ending(0, ""), runner.ended());
            assertEquals(Golden.json("description.json").keySet(), description.keySet());
            assertEquals("java", description.get("runner"));
            List<String> withoutVirtual =
                    ThreadKind.hasVirtual() ? List.of() : List.of("jedis[threads=virtual]", "lettuce[threads=virtual]");
            assertEquals(
                    withoutVirtual,
                    ((List<?>) description.get("missing"))
                            .stream()
                                    .map(missing -> ((Map<?, ?>) missing).get("library"))
                                    .toList());
            List<?> clients = (List<?>) description.get("clients");
            assertEquals(
                    List.of("jedis", "lettuce"),
                    clients.stream()
                            .map(client -> ((Map<?, ?>) client).get("library"))
                            .toList());
            Map<?, ?> scenarios = (Map<?, ?>) ((Map<?, ?>) clients.get(0)).get("scenarios");
            assertTrue(scenarios.containsKey("transaction") && !scenarios.containsKey("pipelining"));
        }
    }
}
