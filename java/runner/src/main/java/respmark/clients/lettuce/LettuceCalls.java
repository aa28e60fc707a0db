package respmark.clients.lettuce;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import respmark.workload.Commands;

/** The commands of a workload, and the methods of the library that send them; W is String or byte[]. */
record LettuceCalls<W>(Commands<W> commands, List<Name> names, RedisCodec<W, W> codec) {
    static <W> LettuceCalls<W> of(Commands<W> commands, RedisCodec<W, W> codec) {
        return new LettuceCalls<>(
                commands, commands.names().stream().map(Name::of).toList(), codec);
    }

    Object now(RedisCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Commands.GET -> redis.get(commands.key(command));
            case Commands.SET -> redis.set(commands.key(command), commands.value(command));
            default -> redis.dispatch(name(command), new AnyOutput<>(codec), arguments(command));
        };
    }

    /** The library's future of a command is a CompletableFuture: it gives itself. */
    CompletableFuture<?> later(RedisAsyncCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Commands.GET -> redis.get(commands.key(command)).toCompletableFuture();
            case Commands.SET ->
                redis.set(commands.key(command), commands.value(command)).toCompletableFuture();
            default ->
                redis.dispatch(name(command), new AnyOutput<>(codec), arguments(command))
                        .toCompletableFuture();
        };
    }

    /** A future of its own subscribes to the command, which sends it. */
    CompletableFuture<?> later(RedisReactiveCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Commands.GET -> redis.get(commands.key(command)).toFuture();
            case Commands.SET ->
                redis.set(commands.key(command), commands.value(command)).toFuture();
            default ->
                redis.dispatch(name(command), new AnyOutput<>(codec), arguments(command))
                        .singleOrEmpty()
                        .toFuture();
        };
    }

    private Name name(int command) {
        return names.get(commands.kind(command));
    }

    private CommandArgs<W, W> arguments(int command) {
        CommandArgs<W, W> arguments = new CommandArgs<>(codec);
        for (int i = 0; i < commands.words(command); i++) {
            arguments.addValue(commands.word(command, i));
        }
        return arguments;
    }

    /** A command's name; the library's own list does not have every command there is. */
    record Name(String text) implements ProtocolKeyword {
        static Name of(String name) {
            return new Name(name.toUpperCase(Locale.ROOT));
        }

        @Override
        public byte[] getBytes() {
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
