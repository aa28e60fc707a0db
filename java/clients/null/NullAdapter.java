import java.util.HashMap;
import java.util.Map;
import respmark.Calls;
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

    private static final class NullClient implements Client<Object, String> {
        @Override
        public Map<String, String> versions() {
            return Map.of("null", "0");
        }

        @Override
        public Words<String> words() {
            return Words.TEXT;
        }

        @Override
        public Object connect(int threads) {
            return this;
        }

        @Override
        public void close(Object client) {
            // Nothing is open.
        }

        /** Each fetches what a library's method would be given, and does nothing with it. */
        @Override
        public Map<String, Calls.Method<Object, String>> commands() {
            Map<String, Calls.Method<Object, String>> commands = new HashMap<>();
            commands.put("GET", (on, w, i) -> w.key(i));
            commands.put("SET", (on, w, i) -> w.value(i));
            return commands;
        }

        @Override
        public Unit batch(Object client, Commands<String> commands, int depth) {
            Calls<Object, String> calls = commands.with(commands());
            Object[] replies = new Object[depth];
            return first -> {
                for (int i = 0; i < depth; i++) {
                    replies[i] = calls.send(client, first + i);
                }
                return replies;
            };
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
