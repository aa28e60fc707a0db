import java.util.Map;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/** No client at all: what the loop costs every client, on the same paths. */
public final class NullAdapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        return new NullClient();
    }

    private static final class NullClient implements Client<AutoCloseable, String> {
        @Override
        public Map<String, String> versions() {
            return Map.of("null", "0");
        }

        @Override
        public Words<String> words() {
            return Words.TEXT;
        }

        @Override
        public AutoCloseable connect(int threads) {
            return () -> {};
        }

        /** Each fetches what a library's method would be given, and does nothing with it. */
        @Override
        public Map<String, Commands.Method<AutoCloseable, String>> commands() {
            return Map.of("GET", (on, w, i) -> w.key(i), "SET", (on, w, i) -> w.value(i));
        }

        @Override
        public Unit batch(AutoCloseable client, Commands<String> commands, int depth) {
            Commands.Calls<AutoCloseable> calls = commands.with(commands());
            return first -> {
                Object[] replies = new Object[depth];
                for (int i = 0; i < depth; i++) {
                    replies[i] = calls.send(client, first + i);
                }
                return replies;
            };
        }

        @Override
        public Unit transaction(AutoCloseable client, Commands<String> commands, int depth, String form) {
            return batch(client, commands, depth);
        }

        @Override
        public Unit pool(Commands<String> commands, int threads, int maxTotal, int maxIdle) {
            return command(connect(threads), commands);
        }
    }
}
