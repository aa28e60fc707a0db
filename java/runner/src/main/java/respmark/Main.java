package respmark;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads trials and orders, one a line, and answers each with a line. */
public final class Main {
    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Run<?, ?> run;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> fail(error));
        // JNA takes a while to load, and is not needed yet.
        new Thread(Moment::now).start();
        Main main = new Main();
        // Whatever a library prints is no answer.
        System.setOut(System.err);
        main.conduct();
        // At once: libraries may still have threads, and nothing is left to do.
        Runtime.getRuntime().halt(0);
    }

    private void conduct() throws Exception {
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            output.println(answer(line));
        }
        close();
    }

    /** What this machine or server cannot do is an answer. */
    private String answer(String line) throws Exception {
        try {
            Order order = Json.read(line, Order.class);
            return order.adapter() == null ? run.answer(order) : begin(Json.read(line, Trial.class));
        } catch (UnsupportedOperationException reason) {
            return Json.line("unsupported", reason.getMessage());
        }
    }

    /** Begins a trial; of the one before, nothing is left. */
    private String begin(Trial trial) throws Exception {
        close();
        run = Run.of(trial);
        return run.loaded();
    }

    private void close() throws Exception {
        if (run != null) {
            run.close();
            run = null;
        }
    }

    /** Ends the runner; the last line has the words of the error and of what is behind it. */
    static void fail(Throwable error) {
        error.printStackTrace();
        System.err.println(words(error).replaceAll("\\s+", " "));
        Runtime.getRuntime().halt(1);
    }

    /** Jedis attaches the actual error to its own exception as a suppressed one. */
    private static String words(Throwable error) {
        Stream<Throwable> behind = Stream.concat(Stream.of(error.getSuppressed()), Stream.ofNullable(error.getCause()));
        String own = error.getClass().getSimpleName() + ": " + error.getMessage();
        return own + behind.map(one -> "; " + words(one)).collect(Collectors.joining());
    }
}
