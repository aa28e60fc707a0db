package respmark.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import respmark.contract.Json;

/** A process of the runner, or of the bare loops; everything that is waited for has a limit. */
public final class Runner implements AutoCloseable {
    private static final long LIMIT_S = 60;
    private static final String END = "";
    private static final String MAIN = "respmark.main.Main";
    public static final String CONNECT = "{\"order\":\"connect\"}";
    public static final String FINISH = "{\"order\":\"finish\"}";

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final List<Thread> readers;

    /** How a process ended. */
    public record Ending(int exitCode, String stderr) {
        public String lastLine() {
            String[] all = stderr.strip().split("\n", -1);
            return all[all.length - 1];
        }
    }

    private Runner(String classPath, String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                mainClass));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("RESPMARK_DEBUG");
        process = builder.start();
        readers = List.of(
                reader(process.getInputStream(), lines::add, () -> lines.add(END)),
                reader(process.getErrorStream(), errors::add, () -> {}));
    }

    private static Thread reader(InputStream stream, Consumer<String> each, Runnable atEnd) {
        Thread thread = new Thread(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                reader.lines().forEach(each);
            } catch (IOException | UncheckedIOException error) {
                // A test has ended the process while it was read.
            } finally {
                atEnd.run();
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A runner with this trial. */
    public static Runner with(Map<String, Object> trial) throws IOException {
        return with(Json.line(trial));
    }

    /** A runner with this on its standard input. */
    public static Runner with(String line) throws IOException {
        Runner runner = command("run");
        runner.write(line);
        return runner;
    }

    public static Runner command(String... arguments) throws IOException {
        return new Runner(System.getProperty("java.class.path"), MAIN, arguments);
    }

    /** The runner that set-up built with an older version of a library. */
    public static Runner older(Path jar, String... arguments) throws IOException {
        return new Runner(jar.toString(), MAIN, arguments);
    }

    /** A runner that has connected, and waits for slices. */
    public static Runner ready(Map<String, Object> trial) throws Exception {
        Runner runner = with(trial);
        assertEquals("loaded", runner.event().get("event"));
        runner.write(CONNECT);
        assertEquals("ready", runner.event().get("event"));
        return runner;
    }

    public static Runner bare(String... arguments) throws IOException {
        return new Runner(System.getProperty("java.class.path"), "respmark.bare.Bare", arguments);
    }

    /** How a run ends that gets no further than connecting. */
    public static Ending failing(Map<String, Object> trial) throws Exception {
        return failing(Json.line(trial));
    }

    /** How a run ends that gets no further than connecting; that is ordered at once. */
    public static Ending failing(String line) throws Exception {
        try (Runner runner = with(line)) {
            runner.write(CONNECT);
            return runner.ended();
        }
    }

    /** The answer to a slice. */
    public Map<String, Object> slice(Object... changes) throws Exception {
        write(Json.line(Trials.slice(changes)));
        return event();
    }

    /** The answer to `finish`. */
    public Map<String, Object> finish() throws Exception {
        write(FINISH);
        return event();
    }

    public void write(String line) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    public void closeInput() throws IOException {
        process.getOutputStream().close();
    }

    /** The next line of its output. */
    public String line() throws InterruptedException {
        String line = lines.poll(LIMIT_S, TimeUnit.SECONDS);
        if (line == null || line.equals(END)) {
            throw new AssertionError("nothing came: " + errors);
        }
        return line;
    }

    /** The next event. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> event() throws InterruptedException, Json.NotJson {
        return (Map<String, Object>) Json.parse(line());
    }

    /** Waits for the end. */
    public Ending ended() throws InterruptedException, IOException {
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            throw new AssertionError("it did not end: " + errors);
        }
        for (Thread reader : readers) {
            reader.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
        }
        return new Ending(process.exitValue(), String.join("\n", errors));
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
