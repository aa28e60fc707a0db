package respmark.bare;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The bare loops that the runner is judged by: what a user would write by hand, and no more.
 *
 * <p>They replay the GETs and SETs of the workload file with the same library and options, and
 * record nothing per command. They share no code with the runner. The program prints `ready` when
 * connected and warm, answers each line `SECONDS FIRST_COMMAND` on standard input with
 * `OPERATIONS ELAPSED_NS CPU_NS`, and exits when standard input ends.
 */
public final class Bare {
    private static final double NS_PER_S = 1e9;
    /** As long as the runner may warm up, so the loop is compiled; `--warm-up-s` changes it. */
    private static final String WARM_UP_S = "6";

    /**
     * Warms up in short stretches like the measured ones: code compiled before the loop has ever
     * ended is thrown away when it ends.
     */
    private static final double STRETCH_S = 0.1;

    private static final Set<String> KNOWN = Set.of(
            "host",
            "port",
            "workload",
            "scenario",
            "depth",
            "window",
            "threads",
            "max-total",
            "max-idle",
            "protocol",
            "api",
            "command-timeout",
            "warm-up-s",
            "transport");

    private Bare() {}

    /** Performs whole units from command `first` until `endNs`; returns the number of commands. */
    interface Loop {
        long run(int first, long endNs) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = options(arguments);
        Commands commands = Commands.read(options.get("workload"), number(options, "depth", 1));
        Loop loop = loop(arguments[0], options, commands);
        // The commands lie in the old generation, where no collection copies them.
        System.gc();
        long warm = end(Double.parseDouble(options.getOrDefault("warm-up-s", WARM_UP_S)));
        while (System.nanoTime() < warm) {
            loop.run(0, end(STRETCH_S));
        }
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ", -1);
            answer(loop, Double.parseDouble(words[0]), Integer.parseInt(words[1]));
        }
        Runtime.getRuntime().halt(0);
    }

    private static void answer(Loop loop, double seconds, int first) throws Exception {
        long cpu = Cpu.nowNs();
        long began = System.nanoTime();
        long operations = loop.run(first, end(seconds));
        long elapsed = System.nanoTime() - began;
        System.out.println(operations + " " + elapsed + " " + (Cpu.nowNs() - cpu));
    }

    private static long end(double seconds) {
        return System.nanoTime() + Math.round(seconds * NS_PER_S);
    }

    private static Loop loop(String library, Map<String, String> options, Commands commands) {
        Loop loop = switch (library) {
            case "jedis" -> new JedisLoops(options, commands).loop();
            case "lettuce" -> new LettuceLoops(options, commands).loop();
            default -> throw fail("name a library: jedis or lettuce");
        };
        if (loop == null) {
            throw fail("there is no bare loop for %s with %s".formatted(options.get("scenario"), library));
        }
        return loop;
    }

    /** The options after the library's name: pairs of `--name value`. */
    private static Map<String, String> options(String[] arguments) {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i].replaceFirst("^--", ""), arguments[i + 1]);
        }
        if (!options.keySet().containsAll(List.of("host", "port", "workload", "scenario"))) {
            throw fail("usage: LIBRARY --host HOST --port PORT --workload FILE --scenario SCENARIO [--NAME VALUE ...]");
        }
        options.keySet().stream().filter(name -> !KNOWN.contains(name)).forEach(name -> {
            throw fail("the bare loops have no --" + name);
        });
        return options;
    }

    static int number(Map<String, String> options, String name, int absent) {
        return options.containsKey(name) ? Integer.parseInt(options.get(name)) : absent;
    }

    static RuntimeException fail(String sentence) {
        System.err.println(sentence);
        System.exit(1);
        return new IllegalStateException(sentence);
    }
}
