package respmark.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.Difference;
import respmark.contract.Description.MissingClient;
import respmark.contract.Description.Support;
import respmark.contract.Event.LocalCache;
import respmark.contract.Event.Moment;
import respmark.contract.Event.Work;
import respmark.testing.Golden;

class EventTest {
    private static Object written(Event event) throws Json.NotJson {
        return Json.parse(Json.line(event.toJson()));
    }

    @Test
    void loadedIsTheGoldenOne() throws Json.NotJson {
        assertEquals(Golden.json("loaded.json"), written(new Event.Loaded("golden", 312_000_000)));
    }

    @Test
    void readyIsTheGoldenOne() throws Json.NotJson {
        assertEquals(Golden.json("ready.json"), written(new Event.Ready("golden", 1_500_000, 100)));
    }

    @Test
    void sliceIsTheGoldenOne() throws Json.NotJson {
        Event.Slice slice = new Event.Slice(
                "golden",
                1,
                new Moment(5_000_000_000L, 400_000_000, 50_000_000),
                new Moment(5_050_400_000L, 436_000_000, 58_000_000),
                new Moment(5_151_300_000L, 508_000_000, 74_000_000),
                new Work(100, 1),
                new Work(200, 2),
                List.of(new Event.Segment(60, 300)),
                Map.of("TimeoutError", 1L),
                "TimeoutError: no reply in 5 s",
                null);
        assertEquals(Golden.json("slice.json"), written(slice));
    }

    @Test
    void whatACacheDidBetweenTwoMomentsIsTheDifference() {
        LocalCache before = new LocalCache(1_000, 100, 5);
        LocalCache after = new LocalCache(1_210, 130, 17);
        assertEquals(new LocalCache(210, 30, 12), after.since(before));
    }

    @Test
    void resultIsTheGoldenOne() throws Json.NotJson {
        Event.Result result = new Event.Result(
                "golden",
                new Event.Latency("batch", List.of(new long[] {702_976, 2}, new long[] {810_496, 1}), 810_777),
                52_428_800,
                "bytes",
                Map.of("gc_collections", 3),
                Map.of("gc", "on"),
                Map.of("a-library", "1.2.3", "a-runtime", "4.5.6"));
        assertEquals(Golden.json("result.json"), written(result));
    }

    @Test
    void theLimitsAreTheContracts() throws Json.NotJson {
        Map<String, Object> ours = Map.of(
                "failures_in_a_row", Limits.FAILURES_IN_A_ROW,
                "silence_ms", (int) Limits.SILENCE.toMillis(),
                "pool_wait_ms", (int) Limits.POOL_WAIT.toMillis());
        assertEquals(ours, Golden.json("limits.json"));
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
                                Scenario.TRANSACTION, new Support(List.of(), List.of("batched"))),
                        List.of(new Difference(
                                "pool_timeout",
                                "none",
                                "3 s",
                                "one limit for every library's pool",
                                List.of(Scenario.POOL))))),
                List.of(new MissingClient("b-library", "No module named 'b'", "run `make setup`")));
        Map<String, Object> golden = Golden.json("description.json");
        // Both libraries have an option for it.
        ((Map<?, ?>) ((List<?>) golden.get("clients")).get(0)).remove("protocol");
        golden.put("runner", "java");
        golden.put("runtime", System.getProperty("java.vm.name"));
        golden.put("runtime_version", System.getProperty("java.runtime.version"));
        assertEquals(golden, written(description));
    }
}
