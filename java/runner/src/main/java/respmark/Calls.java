package respmark;

import java.util.List;
import java.util.Map;

/**
 * The commands of a workload, each with the method that sends it.
 *
 * <p>With GET and SET alone, the compiler sees two methods where commands are sent and puts both in
 * line: the table costs nothing.
 *
 * @param <C> what commands are sent on: a client, a connection, a pipeline
 * @param <W> what keys and values are
 */
public final class Calls<C, W> {
    private final Commands<W> commands;
    private final Method<C, W>[] methodOfStep;

    /** Sends command number `i` through the library's own method: a row of an adapter's table. */
    @FunctionalInterface
    public interface Method<C, W> {
        Object send(C on, Commands<W> commands, int i);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    Calls(Commands<W> commands, List<String> nameOfStep, Map<String, Method<C, W>> methods) {
        this.commands = commands;
        nameOfStep.stream().filter(name -> !methods.containsKey(name)).findFirst().ifPresent(name -> {
            throw new Unsupported("there is no method for %s here: leave it out of the workload".formatted(name));
        });
        methodOfStep = nameOfStep.stream().map(methods::get).toArray(Method[]::new);
    }

    /** Sends command number `i`; returns its reply, or what will hold it. */
    public Object send(C on, int i) {
        return methodOfStep[commands.step(i)].send(on, commands, i);
    }
}
