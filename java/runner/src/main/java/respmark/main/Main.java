package respmark.main;

import java.util.List;
import respmark.errors.InvalidInput;

/** The commands `describe` and `run`, and their exit codes. */
public final class Main {
    private static final String USAGE = "usage: java -jar respmark-runner.jar describe|run";

    private Main() {}

    public static void main(String[] arguments) {
        Channel channel = new Channel(System.in, System.out);
        Ending ending = new Ending(System.err);
        int code = ending.codeOf(() -> carryOut(List.of(arguments), channel, ending));
        // Exits at once: libraries may still have threads, and nothing is left to do.
        Runtime.getRuntime().halt(code);
    }

    private static void carryOut(List<String> arguments, Channel channel, Ending ending) throws Exception {
        if (arguments.equals(List.of("describe"))) {
            Describe.print(channel);
        } else if (arguments.equals(List.of("run"))) {
            new Run(channel, ending).conduct();
        } else {
            throw new InvalidInput(USAGE);
        }
    }
}
