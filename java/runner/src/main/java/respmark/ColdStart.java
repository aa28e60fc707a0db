package respmark;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** A program that takes a library to its first reply, says how long each stage took, and ends. */
public final class ColdStart {
    private ColdStart() {}

    public static void main(String[] arguments) throws Exception {
        long mainNs = System.nanoTime();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> Main.fail(error));
        PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Whatever a library prints is no answer.
        System.setOut(System.err);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        output.println(answer(Json.read(input.readLine(), Trial.class), mainNs));
        // At once: libraries may still have threads, and nothing is left to do.
        Runtime.getRuntime().halt(0);
    }

    /** What this machine or server cannot do is an answer. */
    private static String answer(Trial trial, long mainNs) throws Exception {
        try {
            Timed<Library> loaded = Timed.of(() -> Class.forName(trial.adapter())
                    .asSubclass(Library.class)
                    .getConstructor()
                    .newInstance());
            Timed<Client<?, ?>> created = Timed.of(() -> loaded.result.load(trial));
            Map<String, Object> started = started(created.result, trial);
            started.putAll(Map.of("main_ns", mainNs, "load_ns", loaded.ns, "create_ns", created.ns));
            return Json.line("started", started);
        } catch (UnsupportedOperationException reason) {
            return Json.line("unsupported", reason.getMessage());
        }
    }

    /** The stages that need the workload. */
    private static <C extends AutoCloseable, W> Map<String, Object> started(Client<C, W> client, Trial trial)
            throws Exception {
        Commands<W> commands = Commands.read(trial.workload(), client.words(), 0);
        Timed<C> connected = Timed.of(() -> client.connect(1));
        Timed<Object> first =
                Timed.of(() -> client.command(connected.result, commands).perform(0));
        List<Object> forms = new Replies<>(client, commands, false).forms(Collections.singletonList(first.result), 0);
        connected.result.close();
        client.close();
        Map<String, String> versions = new HashMap<>(client.versions());
        versions.put("java", System.getProperty("java.runtime.version"));
        Map<String, Object> started = new HashMap<>();
        started.put("connect_ns", connected.ns);
        started.put("first_ns", first.ns);
        started.put("reply", forms.get(0));
        started.put("versions", versions);
        return started;
    }

    /** What a stage returns, and how long it took. */
    private record Timed<T>(T result, long ns) {
        static <T> Timed<T> of(Callable<? extends T> stage) throws Exception {
            long beganNs = System.nanoTime();
            T result = stage.call();
            return new Timed<>(result, System.nanoTime() - beganNs);
        }
    }
}
