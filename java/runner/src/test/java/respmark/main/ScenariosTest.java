package respmark.main;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import respmark.contract.Event;
import respmark.scenarios.ThreadKind;
import respmark.testing.Golden;
import respmark.testing.Runner;
import respmark.testing.Server;
import respmark.testing.Trials;
import respmark.workload.Workload;
import respmark.workload.WorkloadFile;

/** Every scenario of both clients against a real server: what they claim is what the server counted. */
class ScenariosTest {
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
        server.preloadStructures();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    /** What a trial of two slices and the server say, before any connection closes. */
    private record Measured(
            List<Map<String, Object>> slices,
            Map<String, Object> result,
            Map<String, Long> calls,
            long hellos,
            long connections,
            long clients) {
        /** A number of one part of a slice. */
        static long number(Map<String, Object> slice, String part, String name) {
            return ((Number) ((Map<?, ?>) slice.get(part)).get(name)).longValue();
        }

        /** Units of all parts of all slices. */
        long units() {
            return slices.stream()
                    .mapToLong(slice -> number(slice, "lead_in", "units") + number(slice, "measured", "units"))
                    .sum();
        }

        List<Map<?, ?>> segments() {
            List<Map<?, ?>> segments = new ArrayList<>();
            slices.forEach(slice ->
                    ((List<?>) slice.get("segments")).forEach(segment -> segments.add((Map<?, ?>) segment)));
            return segments;
        }
    }

    /** The samples of the second slice are kept, those of the first are not. */
    private static Measured measured(String scenario, Map<String, Object> shape, Map<String, Object> client)
            throws Exception {
        Map<String, Object> workload = Map.of("path", Golden.commands());
        Map<String, Object> trial = Trials.trial(
                "", server.port(), "scenario", scenario, "shape", shape, "client", client, "workload", workload);
        try (Runner runner = Runner.ready(trial)) {
            server.resetCounters();
            List<Map<String, Object>> slices =
                    List.of(runner.slice("keep_samples", false), runner.slice("slice", 2, "first_command", 1_000_111));
            Map<String, Object> result = runner.finish();
            Measured measured = new Measured(
                    slices,
                    result,
                    server.calls(),
                    server.hellos(),
                    server.figure("stats", "total_connections_received"),
                    server.figure("clients", "connected_clients") - 1);
            runner.closeInput();
            assertEquals(new Runner.Ending(0, ""), runner.ended());
            return measured;
        }
    }

    private static Measured measured(String library, String scenario, Map<String, Object> shape) throws Exception {
        return measured(scenario, shape, Trials.client(library));
    }

    private static Map<String, Object> shape(Object... fields) {
        return Event.ordered(fields);
    }

    static List<Arguments> scenarios() {
        List<Arguments> cases = new ArrayList<>();
        Map<String, Object> bytes = Map.of("decode", "bytes", "protocol", 2);
        for (String library : List.of("jedis", "lettuce")) {
            for (Map<String, Object> options : List.of(Map.<String, Object>of(), bytes)) {
                cases.add(Arguments.of(library, options, "sync", shape(), "command"));
                cases.add(Arguments.of(library, options, "batching", shape("depth", 7), "batch"));
                cases.add(Arguments.of(library, options, "batching", shape("depth", 1), "batch"));
                cases.add(Arguments.of(library, options, "batching", shape("depth", 500), "batch"));
                cases.add(Arguments.of(
                        library, options, "transaction", shape("depth", 7, "form", "batched"), "transaction"));
                cases.add(Arguments.of(library, options, "threads", shape("threads", 6, "connections", 2), "command"));
                cases.add(Arguments.of(library, options, "pool", shape("threads", 6, "max_total", 3), "command"));
                cases.add(Arguments.of(library, options, "new-connection", shape(), "connection"));
            }
        }
        cases.add(Arguments.of("jedis", Map.of(), "transaction", shape("depth", 7, "form", "queued"), "transaction"));
        for (Map<String, Object> options : List.of(Map.<String, Object>of(), bytes)) {
            cases.add(Arguments.of("lettuce", options, "pipelining", shape("depth", 7, "window", "burst"), "burst"));
            cases.add(
                    Arguments.of("lettuce", options, "pipelining", shape("depth", 7, "window", "sliding"), "command"));
        }
        cases.add(Arguments.of(
                "lettuce", Map.of(), "pipelining", shape("depth", 5, "window", "burst", "threads", 3), "burst"));
        cases.add(Arguments.of(
                "lettuce", Map.of(), "pipelining", shape("depth", 5, "window", "sliding", "threads", 3), "command"));
        cases.add(Arguments.of(
                "lettuce", Map.of("wrapping", "off"), "pool", shape("threads", 6, "max_total", 3), "command"));
        cases.add(Arguments.of("lettuce", Map.of("command-timeout", "off"), "sync", shape(), "command"));
        for (String api : List.of("async", "reactive")) {
            Map<String, Object> options = Map.of("api", api);
            cases.add(Arguments.of("lettuce", options, "sync", shape(), "command"));
            cases.add(Arguments.of("lettuce", options, "threads", shape("threads", 6, "connections", 2), "command"));
        }
        Map<String, Object> reactive = Map.of("api", "reactive");
        cases.add(Arguments.of("lettuce", reactive, "pipelining", shape("depth", 7, "window", "burst"), "burst"));
        cases.add(Arguments.of("lettuce", reactive, "pipelining", shape("depth", 7, "window", "sliding"), "command"));
        cases.add(Arguments.of("lettuce", reactive, "batching", shape("depth", 7), "batch"));
        cases.add(
                Arguments.of("lettuce", reactive, "transaction", shape("depth", 7, "form", "batched"), "transaction"));
        cases.add(Arguments.of(
                "lettuce",
                Map.of("transaction-flush", "manual"),
                "transaction",
                shape("depth", 7, "form", "batched"),
                "transaction"));
        return cases;
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theServerCountsWhatTheRunnerClaims(
            String library, Map<String, Object> options, String scenario, Map<String, Object> shape, String covers)
            throws Exception {
        Measured measured = measured(scenario, shape, Map.of("library", library, "options", options));
        Map<String, Long> calls = new TreeMap<>(measured.calls());
        Long multi = calls.remove("multi");
        assertEquals(multi, calls.remove("exec"));
        assertEquals(scenario.equals("transaction") ? (Long) measured.units() : null, multi);
        Map<String, Long> expected = expectedCalls(measured.segments());
        if (library.equals("lettuce") && options.containsKey("protocol")) {
            // Without HELLO, Lettuce makes sure of a new connection with a PING.
            expected.merge("ping", measured.connections(), Long::sum);
            expected.values().remove(0L);
        }
        assertEquals(expected, calls);
        assertEquals(options.getOrDefault("decode", "text"), measured.result().get("decodes_to"));
        Map<?, ?> latency = (Map<?, ?>) measured.result().get("latency");
        assertEquals(covers, latency.get("sample_covers"));
        assertEquals(Measured.number(measured.slices().get(1), "measured", "units"), sumOfSecond((List<?>)
                latency.get("histogram")));
        for (Map<String, Object> slice : measured.slices()) {
            assertEquals(Map.of(), slice.get("errors"));
            assertTrue(Measured.number(slice, "lead_in", "operations") > 0);
            assertTrue(Measured.number(slice, "measured", "operations") > 0);
        }
    }

    private static long sumOfSecond(List<?> pairs) {
        return pairs.stream()
                .mapToLong(pair -> ((Number) ((List<?>) pair).get(1)).longValue())
                .sum();
    }

    /** How often the server must have seen each command. */
    private static Map<String, Long> expectedCalls(List<Map<?, ?>> segments) {
        Workload workload = WorkloadFile.read(Golden.commands());
        Map<String, Long> calls = new TreeMap<>();
        for (Map<?, ?> segment : segments) {
            int first = ((Number) segment.get("first_command")).intValue();
            int operations = ((Number) segment.get("operations")).intValue();
            for (int i = first; i < first + operations; i++) {
                calls.merge(workload.name(i % workload.length()).toLowerCase(Locale.ROOT), 1L, Long::sum);
            }
        }
        return calls;
    }

    @Test
    void whatWasNotSentIsWhatLettucesCacheAnswered() throws Exception {
        assertCached("lettuce", List.of("get"));
    }

    @Test
    void whatWasNotSentIsWhatJedissCacheAnsweredWhereTheServerIsOneThatItCachesFor() throws Exception {
        if (server.isRedisFrom(7, 4)) {
            assertCached("jedis", List.of("get", "getrange", "mget", "lrange", "hgetall"));
            return;
        }
        Map<String, Object> trial =
                Trials.trial("", server.port(), "scenario", "caching", "shape", shape("cache_entries", 20));
        trial.put("client", Trials.client("jedis"));
        Runner.Ending ending = Runner.failing(trial);
        assertEquals(3, ending.exitCode());
        assertTrue(ending.lastLine().startsWith("this server is none that Jedis caches for: "), ending.lastLine());
    }

    /** Misses of these commands are what the server saw of them, and hits are the rest. */
    private static void assertCached(String library, List<String> cached) throws Exception {
        Measured measured = measured(library, "caching", shape("cache_entries", 20));
        Map<String, Long> calls = new TreeMap<>(measured.calls());
        Map<String, Long> expected = expectedCalls(measured.segments());
        long misses =
                cached.stream().mapToLong(name -> orZero(calls.remove(name))).sum();
        long reads =
                cached.stream().mapToLong(name -> orZero(expected.remove(name))).sum();
        assertEquals(expected, calls);
        assertEquals(misses, told(measured, "misses"));
        assertEquals(reads, told(measured, "hits") + misses);
    }

    private static long told(Measured measured, String name) {
        return measured.slices().stream()
                .mapToLong(slice -> Measured.number(slice, "local_cache", name))
                .sum();
    }

    private static long orZero(Long count) {
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void connectionsAreOpenedBeforeTheSlicesAndStayOpenAfterThem(String library) throws Exception {
        Measured pool = measured(library, "pool", shape("threads", 5, "max_total", 3));
        assertEquals(List.of(0L, 3L), List.of(pool.connections(), pool.clients()));
        Measured sync = measured(library, "sync", shape());
        assertEquals(List.of(0L, 1L), List.of(sync.connections(), sync.clients()));
        Measured connecting = measured(library, "new-connection", shape());
        assertEquals(connecting.units(), connecting.connections());
        assertEquals(connecting.units(), connecting.hellos(), "the label is RESP3: each connection says so");
    }

    @Test
    void threadsShareOneConnectionOfLettuceAndAPoolOfJedis() throws Exception {
        Map<String, Object> shape = shape("threads", 12, "connections", 1);
        assertEquals(1, measured("lettuce", "threads", shape).clients());
        assertEquals(12, measured("jedis", "threads", shape).clients());
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void aPoolThatKeepsFewerThanItLendsOpensConnectionsInASlice(String library) throws Exception {
        Measured measured = measured(library, "pool", shape("threads", 4, "max_total", 4, "max_idle", 1));
        assertTrue(measured.connections() > 0);
        assertTrue(measured.clients() <= 1);
    }

    @Test
    void theNativeTransportIsUsedWhereItIsAsked() throws Exception {
        Map<String, Object> trial = Trials.trial("", server.port());
        trial.put("client", Trials.client("lettuce", "transport", "epoll"));
        try (Runner runner = Runner.ready(trial)) {
            runner.slice();
            assertEquals("epoll", ((Map<?, ?>) runner.finish().get("runtime_settings")).get("transport"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void virtualThreadsWalkWhereTheJdkHasThemAndAreRefusedElsewhere(String library) throws Exception {
        Map<String, Object> client = Trials.client(library, "threads", "virtual");
        Map<String, Object> shape = shape("threads", 6, "max_total", 3);
        if (ThreadKind.hasVirtual()) {
            assertTrue(measured("pool", shape, client).units() > 0);
        } else {
            Map<String, Object> trial = Trials.trial("", server.port(), "client", client);
            Runner.Ending ending = Runner.failing(trial);
            assertEquals(3, ending.exitCode());
            assertTrue(
                    ending.stderr().contains("has no virtual threads that can share a pool: run it on 24 or later"),
                    ending.stderr());
        }
    }

    @Test
    void theResultSaysWhatAReaderMustKnow() throws Exception {
        Map<String, Object> result = measured("lettuce", "sync", shape()).result();
        Map<?, ?> settings = (Map<?, ?>) result.get("runtime_settings");
        for (String name : List.of(
                "jvm_flags",
                "heap_max_bytes",
                "gc",
                "jit",
                "cpu_source",
                "transport",
                "io_threads",
                "computation_threads")) {
            assertTrue(settings.containsKey(name), name);
        }
        Map<?, ?> versions = (Map<?, ?>) result.get("versions");
        for (String name : List.of("lettuce", "netty", "java", "jvm", "jvm_vendor")) {
            assertTrue(versions.containsKey(name), name);
        }
        Map<?, ?> health = (Map<?, ?>) result.get("runtime_health");
        assertEquals(List.of("gc_collections", "gc_pause_ns", "allocated_bytes"), List.copyOf(health.keySet()));
        assertTrue(((Number) health.get("allocated_bytes")).longValue() > 0);
        assertTrue(((Number) result.get("peak_memory_bytes")).longValue() > 0);
    }

    @Test
    void aPartOfSeveralProcessesBeginsAtItsOwnCommand() throws Exception {
        Map<String, Object> workload = new LinkedHashMap<>(Map.of("path", Golden.workload(), "part", 1, "parts", 2));
        Map<String, Object> trial =
                Trials.trial("jedis", server.port(), "workload", workload, "shape", shape("processes", 2));
        try (Runner runner = Runner.ready(trial)) {
            assertEquals(List.of(127), firsts(runner.slice("first_command", 7)));
            assertEquals(List.of(0), firsts(runner.slice("first_command", 120)));
        }
    }

    private static List<Object> firsts(Map<String, Object> slice) {
        List<Object> firsts = new ArrayList<>();
        ((List<?>) slice.get("segments")).forEach(segment -> firsts.add(((Map<?, ?>) segment).get("first_command")));
        return firsts;
    }

    @Test
    void everyWalkerOfASliceBeginsAtItsOwnCommand() throws Exception {
        Map<String, Object> shape = shape("threads", 4, "max_total", 4);
        try (Runner runner = Runner.ready(Trials.trial("jedis", server.port(), "scenario", "pool", "shape", shape))) {
            assertEquals(List.of(70, 130, 190, 10), firsts(runner.slice("first_command", 70)));
        }
    }

    @Test
    void withoutALeadInItsWorkIsNothingAndNothingIsKeptOfIt() throws Exception {
        try (Runner runner = Runner.ready(Trials.trial("jedis", server.port()))) {
            Map<String, Object> slice = runner.slice("lead_in_ns", 0);
            assertEquals(Map.of("operations", 0, "units", 0), slice.get("lead_in"));
            assertTrue(Measured.number(slice, "measured", "units") > 0);
        }
    }

    /** The harness reads the same clock. */
    @Test
    void momentsComeInTurnOnTheClockOfTheMachineAndCpuOnlyGrows() throws Exception {
        try (Runner runner = Runner.ready(Trials.trial("lettuce", server.port()))) {
            long at = System.nanoTime();
            long cpu = 0;
            for (int number = 1; number <= 3; number++) {
                Map<String, Object> slice = runner.slice("slice", number);
                assertEquals(number, slice.get("slice"));
                for (String moment : List.of("started", "measured_from", "ended")) {
                    long next = Measured.number(slice, moment, "at_ns");
                    long user = Measured.number(slice, moment, "cpu_user_ns");
                    long used = user + Measured.number(slice, moment, "cpu_system_ns");
                    assertTrue(next >= at && used >= cpu && user > 0, slice.toString());
                    at = next;
                    cpu = used;
                }
                assertTrue(at <= System.nanoTime());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void noConnectionIsOpenedBeforeItIsOrdered(String library) throws Exception {
        server.resetCounters();
        try (Runner runner = Runner.with(Trials.trial(library, server.port()))) {
            Map<String, Object> loaded = runner.event();
            assertEquals("loaded", loaded.get("event"));
            assertTrue(((Number) loaded.get("startup_ns")).longValue() > 0);
            assertEquals(0, server.figure("stats", "total_connections_received"));
            runner.write(Runner.CONNECT);
            Map<String, Object> ready = runner.event();
            assertEquals(20, ready.get("verified_replies"));
            assertTrue(((Number) ready.get("connect_ns")).longValue() > 0);
            assertEquals(1, server.figure("stats", "total_connections_received"));
        }
    }

    /** The health of a trial that has kept nothing spans nothing. */
    @Test
    void warmingUpIsNoPartOfTheResult() throws Exception {
        try (Runner runner = Runner.ready(Trials.trial("jedis", server.port()))) {
            runner.slice("keep_samples", false);
            Map<String, Object> result = runner.finish();
            assertEquals(List.of(), ((Map<?, ?>) result.get("latency")).get("histogram"));
            assertEquals(0, ((Map<?, ?>) result.get("runtime_health")).get("allocated_bytes"));
        }
    }
}
