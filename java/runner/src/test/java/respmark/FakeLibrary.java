package respmark;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** A library that needs no server; option `does` says how it behaves. */
public final class FakeLibrary implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        if (trial.is("does", "refuse")) {
            throw new UnsupportedOperationException("not on this machine");
        }
        return new FakeClient(trial);
    }

    private record FakeClient(Trial trial) implements Client<AutoCloseable, String> {
        @Override
        public Map<String, String> versions() {
            return Map.of("fake", "1.2.3");
        }

        @Override
        public Words<String> words() {
            return Words.TEXT;
        }

        @Override
        public AutoCloseable connect(int threads) {
            if (trial.is("does", "fail")) {
                throw new IllegalStateException("no connection", new IOException("refused"));
            }
            return () -> System.err.println("disconnected");
        }

        @Override
        public Map<String, Commands.Method<AutoCloseable, String>> commands() {
            return Map.of(
                    "GET", (on, w, i) -> w.key(i),
                    "SET", (on, w, i) -> trial.is("does", "break") ? hang() : new byte[] {1, 2},
                    "MSET", (on, w, i) -> true,
                    "ZADD", (on, w, i) -> new Object[] {3L},
                    "LTRIM", (on, w, i) -> List.of("a", List.of()),
                    "PING", (on, w, i) -> trial.is("does", "break") ? fail() : Map.of("field", new byte[] {3}));
        }

        private static Object hang() {
            while (true) {
                LockSupport.park();
            }
        }

        private static Object fail() {
            throw new CompletionException(new IllegalStateException("gone"));
        }

        /** The library's lists are arrays. */
        @Override
        public Object plain(Object reply, Commands<String> commands, int i) {
            return reply instanceof Object[] values ? Arrays.asList(values) : reply;
        }

        @Override
        public void close() {
            System.err.println("closed " + trial.scenario());
        }
    }
}
