package respmark.main;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import respmark.contract.Event;
import respmark.contract.Json;
import respmark.contract.Order;
import respmark.errors.InvalidInput;
import respmark.errors.RunnerException;

/** Standard input and output: one JSON object per line. */
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
            throw new InvalidInput("standard input is empty: it must start with one trial as JSON on one line");
        }
        return line;
    }

    /** The next order, which must be one that is due. */
    Order order(String... due) throws IOException {
        String line = input.readLine();
        String all = String.join(" or ", due);
        if (line == null) {
            throw new RunnerException("standard input ended before the result; due: " + all);
        }
        return order(line, List.of(due), all);
    }

    /** Returns when standard input ends: until then, the harness reads the server's counters. */
    void awaitEnd() throws IOException {
        String line = input.readLine();
        if (line != null) {
            order(line, List.of(), "the end of standard input");
        }
    }

    private static Order order(String line, List<String> due, String all) {
        Order order;
        try {
            order = Order.parse(line);
        } catch (InvalidInput error) {
            throw new InvalidInput(error.getMessage() + "; due: " + all, error);
        }
        if (!due.contains(order.word())) {
            throw new InvalidInput("the order %s is not due; due: %s".formatted(order.word(), all));
        }
        return order;
    }

    /** Prints the event and flushes. */
    void say(Event event) {
        output.print(Json.line(event.toJson()) + "\n");
        output.flush();
    }
}
