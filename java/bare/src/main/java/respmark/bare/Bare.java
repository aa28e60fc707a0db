package respmark.bare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bare loops that the runner is judged by: what a user would write by hand, and no more.
 *
 * <p>Reads the trial that the runner reads, replays the GETs and SETs of the workload file with the same library and
 * options, and measures nothing but how many there were. It shares no code with the runner. It prints
 * {"event":"ready"} when warm, waits for a line, measures, and prints {"operations", "elapsed_ns", "cpu_ns"}.
 */
public final class Bare {
    private static final double NS_PER_S = 1e9;
    /** As the runner does: compiled code that comes to an end for the first time is thrown away, so let it before. */
    private static final int WARM_UP_PARTS = 4;

    private Bare() {}

    /** Performs commands until that moment and returns how many. */
    interface Loop {
        long until(long endNs) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, Object> trial = object(input.readLine());
        Commands commands = Commands.read(object(trial, "workload"));
        Loop loop = loop(arguments.length == 1 ? arguments[0] : "", trial, commands);
        // As the runner does: the commands lie in the old generation before the window.
        System.gc();
        for (int part = 0; part < WARM_UP_PARTS; part++) {
            loop.until(end(trial, "warmup_s", WARM_UP_PARTS));
        }
        System.out.println("{\"event\":\"ready\"}");
        input.readLine();
        long cpu = Cpu.nowNs();
        long began = System.nanoTime();
        long operations = loop.until(end(trial, "measure_s", 1));
        long elapsed = System.nanoTime() - began;
        cpu = Cpu.nowNs() - cpu;
        System.out.printf("{\"operations\":%d,\"elapsed_ns\":%d,\"cpu_ns\":%d}%n", operations, elapsed, cpu);
        Runtime.getRuntime().halt(0);
    }

    private static Loop loop(String library, Map<String, Object> trial, Commands commands) {
        Loop loop = switch (library) {
            case "jedis" -> new JedisLoops(trial, commands).loop();
            case "lettuce" -> new LettuceLoops(trial, commands).loop();
            default -> throw fail("name a library: jedis or lettuce");
        };
        if (loop == null) {
            throw fail("there is no bare loop for %s with %s".formatted(trial.get("scenario"), library));
        }
        return loop;
    }

    private static long end(Map<String, Object> trial, String duration, int parts) {
        return System.nanoTime() + Math.round(((Number) trial.get(duration)).doubleValue() * NS_PER_S / parts);
    }

    static RuntimeException fail(String sentence) {
        System.err.println(sentence);
        System.exit(1);
        return new IllegalStateException(sentence);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Map<String, Object> parent, String name) {
        return (Map<String, Object>) parent.getOrDefault(name, Map.of());
    }

    static int number(Map<String, Object> object, String name, int absent) {
        return object.get(name) instanceof Number number ? number.intValue() : absent;
    }

    /** The object that the JSON is. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return (Map<String, Object>) value(parser);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                return fields;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                return items;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                return parser.getNumberValue();
            }
            case VALUE_NULL -> {
                return null;
            }
            default -> {
                return parser.getText();
            }
        }
    }
}
