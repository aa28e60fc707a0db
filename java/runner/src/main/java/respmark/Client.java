package respmark;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A library in one configuration: what an adapter implements.
 *
 * <p>`sync`, `threads` and `new-connection` follow from `connect` and `commands`, bursts and windows, too, where
 * commands return a CompletionStage. An adapter leaves out what its library lacks, as client.toml says. What this
 * machine or server cannot do is an UnsupportedOperationException.
 *
 * @param <C> what commands are sent on, as the library's documentation has it
 * @param <W> what keys and values are: String or byte[]
 */
public interface Client<C extends AutoCloseable, W> {
    /** A unit waits no longer for a connection of a pool. */
    Duration POOL_WAIT = Duration.ofSeconds(3);

    /** What the option `limits` asks for. */
    Duration LIMIT = Duration.ofSeconds(1);

    /** What a library's own cache has done. */
    record CacheCounts(long hits, long misses, long invalidations) {
        CacheCounts since(CacheCounts before) {
            return new CacheCounts(hits - before.hits, misses - before.misses, invalidations - before.invalidations);
        }
    }

    /** The library's version under the client's name, and those of what changes how it works. */
    Map<String, String> versions();

    /** What a reader must know; `protocol` where the RESP version is another one than the option says. */
    default Map<String, Object> settings() {
        return Map.of();
    }

    Words<W> words();

    /** A client as the documentation recommends it for this many threads; all its connections are open. */
    C connect(int threads) throws Exception;

    /** For each command the method that sends it and waits for its reply, or returns a CompletionStage. */
    Map<String, Commands.Method<C, W>> commands();

    /** Whether commands return a CompletionStage. */
    default boolean isAsync() {
        return false;
    }

    /** One command, whose reply is awaited. */
    default Unit command(C client, Commands<W> commands) {
        Commands.Calls<C> calls = commands.with(commands());
        return isAsync()
                ? first -> ((CompletionStage<?>) calls.send(client, first))
                        .toCompletableFuture()
                        .get()
                : first -> calls.send(client, first);
    }

    /** Connect, one command, close. */
    @SuppressWarnings("try") // close() may throw what it likes
    default Unit newConnection(Commands<W> commands) {
        Commands.Calls<C> calls = commands.with(commands());
        boolean isAsync = isAsync();
        return first -> {
            try (C client = connect(1)) {
                Object sent = calls.send(client, first);
                return isAsync
                        ? ((CompletionStage<?>) sent).toCompletableFuture().get()
                        : sent;
            }
        };
    }

    /** `depth` commands issued without waiting, then all of them awaited. */
    default Unit burst(C client, Commands<W> commands, int depth) {
        Commands.Calls<C> calls = commands.with(commands());
        return first -> {
            Object[] replies = new Object[depth];
            for (int i = 0; i < depth; i++) {
                replies[i] = calls.send(client, first + i);
            }
            for (int i = 0; i < depth; i++) {
                replies[i] =
                        ((CompletionStage<?>) replies[i]).toCompletableFuture().get();
            }
            return replies;
        };
    }

    /** At most `depth` commands in flight: the next one is issued where a reply arrives. */
    default Walker window(C client, Commands<W> commands, int depth, Walker.Place place) {
        return new WindowWalker<>(place, command(client, commands), client, commands.with(commands()), depth);
    }

    /** `depth` commands buffered, one flush, all replies. */
    default Unit batch(C client, Commands<W> commands, int depth) {
        throw new UnsupportedOperationException("batching");
    }

    /** `depth` commands within MULTI and EXEC. */
    default Unit transaction(C client, Commands<W> commands, int depth, String form) {
        throw new UnsupportedOperationException("transaction");
    }

    /** Borrow a connection, one command, give it back; min(threads, maxTotal) connections are open. */
    default Unit pool(Commands<W> commands, int threads, int maxTotal, int maxIdle) throws Exception {
        throw new UnsupportedOperationException("pool");
    }

    /** One command, whose GETs the library's own cache of so many entries may answer. */
    default Unit cache(Commands<W> commands, int entries) throws Exception {
        throw new UnsupportedOperationException("caching");
    }

    /** What the library's own cache has done so far; null if there is none. */
    default CacheCounts cacheCounts() {
        return null;
    }

    /** The reply to command number `i` without the library's own types: as text, bytes, numbers, lists and maps. */
    default Object plain(Object reply, Commands<W> commands, int i) {
        return reply;
    }

    /** Ends what `connect` did not return: pools, caches, the library's own threads. */
    default void close() throws Exception {}
}
