package respmark.clients.lettuce;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import respmark.workload.Form;
import respmark.workload.Workload;

/** One command with its arguments, and the methods of the library that send it; W is String or byte[]. */
interface LettuceCall<W> {
    Object now(RedisCommands<W, W> commands);

    RedisFuture<?> later(RedisAsyncCommands<W, W> commands);

    /** All commands of the workload, and the first `more` of them again, so that no unit wraps around. */
    static <W> LettuceCall<W>[] materialise(Workload workload, Form<W> form, RedisCodec<W, W> codec, int more) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        LettuceCall<W>[] calls = new LettuceCall[workload.length() + more];
        for (int i = 0; i < workload.length(); i++) {
            calls[i] = of(workload.name(i), workload.arguments(i, form), codec);
        }
        for (int i = workload.length(); i < calls.length; i++) {
            calls[i] = calls[i - workload.length()];
        }
        return calls;
    }

    private static <W> LettuceCall<W> of(String name, W[] words, RedisCodec<W, W> codec) {
        return switch (name) {
            case "GET" -> new Get<>(words[0]);
            case "SET" -> new Set<>(words[0], words[1]);
            default -> new Other<>(new Name(name.toUpperCase(Locale.ROOT)), words, codec);
        };
    }

    record Get<W>(W key) implements LettuceCall<W> {
        @Override
        public Object now(RedisCommands<W, W> commands) {
            return commands.get(key);
        }

        @Override
        public RedisFuture<?> later(RedisAsyncCommands<W, W> commands) {
            return commands.get(key);
        }
    }

    record Set<W>(W key, W value) implements LettuceCall<W> {
        @Override
        public Object now(RedisCommands<W, W> commands) {
            return commands.set(key, value);
        }

        @Override
        public RedisFuture<?> later(RedisAsyncCommands<W, W> commands) {
            return commands.set(key, value);
        }
    }

    /** Any other command, through `dispatch`. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Other<W>(ProtocolKeyword name, W[] words, RedisCodec<W, W> codec) implements LettuceCall<W> {
        private CommandArgs<W, W> arguments() {
            CommandArgs<W, W> arguments = new CommandArgs<>(codec);
            for (W word : words) {
                arguments.addValue(word);
            }
            return arguments;
        }

        @Override
        public Object now(RedisCommands<W, W> commands) {
            return commands.dispatch(name, new AnyOutput<>(codec), arguments());
        }

        @Override
        public RedisFuture<?> later(RedisAsyncCommands<W, W> commands) {
            return commands.dispatch(name, new AnyOutput<>(codec), arguments());
        }
    }

    /** A command's name; the library's own list does not have every command there is. */
    record Name(String text) implements ProtocolKeyword {
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
