package respmark.main;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import respmark.contract.Event;
import respmark.contract.Fields;
import respmark.contract.Json;
import respmark.errors.InvalidTrial;
import respmark.errors.RunnerException;

/** Standard input and output: one JSON object a line. */
final class Channel {
    private final BufferedReader input;
    private final PrintStream output;

    Channel(InputStream input, OutputStream output) {
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        this.output = new PrintStream(output, false, StandardCharsets.UTF_8);
    }

    /** The line that holds the trial. */
    String trial() throws IOException {
        String line = input.readLine();
        if (line == null) {
            throw new InvalidTrial("standard input is empty: it must start with one trial as JSON on one line");
        }
        return line;
    }

    /** Returns when the harness says `go`. */
    void awaitGo() throws IOException {
        String line = input.readLine();
        if (line == null) {
            throw new RunnerException("standard input ended before `go`: the harness is gone, nothing was measured");
        }
        if (!isGo(line)) {
            throw new RunnerException("expected {\"event\":\"go\"} on standard input, not " + Fields.show(line));
        }
    }

    private static boolean isGo(String line) {
        try {
            return Map.of("event", "go").equals(Json.parse(line));
        } catch (Json.NotJson error) {
            return false;
        }
    }

    /** Returns when standard input ends: until then, the harness reads the server's counters. */
    void awaitEnd() throws IOException {
        while (input.readLine() != null) {
            // The harness says nothing after `go`.
        }
    }

    /** Prints the message, now. */
    void say(Event event) {
        output.print(Json.line(event.toJson()) + "\n");
        output.flush();
    }
}
