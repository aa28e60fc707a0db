package respmark.main;

import java.util.List;
import respmark.clients.Registry;
import respmark.errors.InvalidInput;

/** The commands `describe` and `run`, and their exit codes. */
public final class Main {
    private static final String USAGE = "usage: java -jar respmark-runner.jar describe|run";

    private Main() {}

    public static void main(String[] arguments) {
        Channel channel = new Channel(System.in, System.out);
        Exit exit = new Exit(System.err);
        int code = exit.codeOf(() -> carryOut(List.of(arguments), channel, exit));
        // Ends at once: libraries have threads of their own, and nothing is left to be done.
        Runtime.getRuntime().halt(code);
    }

    private static void carryOut(List<String> arguments, Channel channel, Exit exit) throws Exception {
        if (arguments.equals(List.of("describe"))) {
            channel.say(Registry.describe());
        } else if (arguments.equals(List.of("run"))) {
            new Run(channel, exit).conduct();
        } else {
            throw new InvalidInput(USAGE);
        }
    }
}
