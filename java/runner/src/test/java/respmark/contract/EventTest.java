package respmark.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.MissingClient;
import respmark.contract.Description.Support;
import respmark.testing.Golden;

class EventTest {
    private static Object written(Event event) throws Json.NotJson {
        return Json.parse(Json.line(event.toJson()));
    }

    @Test
    void readyIsTheGoldenOne() throws Json.NotJson {
        Map<String, Object> golden = Golden.json("ready.json");
        long startup = ((Number) golden.get("startup_ns")).longValue();
        long verified = ((Number) golden.get("verified_replies")).longValue();
        long warm = ((Number) golden.get("warmup_operations")).longValue();
        assertEquals(golden, written(new Event.Ready("golden", startup, verified, warm)));
    }

    @Test
    void progressIsTheGoldenOne() throws Json.NotJson {
        Map<String, Object> golden = Golden.json("progress.json");
        long elapsed = ((Number) golden.get("elapsed_ns")).longValue();
        long operations = ((Number) golden.get("operations")).longValue();
        assertEquals(golden, written(new Event.Progress("golden", elapsed, operations)));
    }

    @Test
    void resultIsTheGoldenOne() throws Json.NotJson {
        Event.Result result = new Event.Result(
                "golden",
                300,
                3,
                List.of(new Event.Segment(0, 300)),
                Map.of("TimeoutError", 1L),
                "TimeoutError: no reply in 5 s",
                1_500_900_000,
                new Event.Half(200, 751_000_000),
                900_000_000,
                200_000_000,
                new Event.Latency("batch", List.of(new long[] {702_976, 2}, new long[] {810_496, 1}), 810_777),
                52_428_800,
                "bytes",
                Map.of("gc_collections", 3),
                Map.of("gc", "on"),
                Map.of("a-library", "1.2.3", "a-runtime", "4.5.6"));
        assertEquals(Golden.json("result.json"), written(result));
    }

    @Test
    void theDescriptionHasTheGoldenForm() throws Json.NotJson {
        Description description = new Description(
                List.of(new ClientDescription(
                        "a-library",
                        "1.2.3",
                        Map.of("a-parser", "0.1.0"),
                        Map.of("protocol", List.of(3, 2)),
                        Map.of(
                                Scenario.SYNC, Support.PLAIN,
                                Scenario.PIPELINING, new Support(List.of("burst", "sliding"), List.of()),
                                Scenario.TRANSACTION, new Support(List.of(), List.of("batched"))))),
                List.of(new MissingClient("b-library", "No module named 'b'", "run `make setup`")));
        Map<String, Object> golden = Golden.json("description.json");
        golden.put("runner", "java");
        golden.put("runtime", System.getProperty("java.vm.name"));
        golden.put("runtime_version", System.getProperty("java.runtime.version"));
        assertEquals(golden, written(description));
    }
}
