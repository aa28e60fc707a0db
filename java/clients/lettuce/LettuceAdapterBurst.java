import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import respmark.Calls;
import respmark.Unit;

/** Commands issued without waiting, between MULTI and EXEC or not, then awaited. */
final class LettuceAdapterBurst<W> implements Unit {
    private final StatefulRedisConnection<W, W> connection;
    private final Calls<StatefulRedisConnection<W, W>, W> calls;
    private final boolean isFlushed;
    private final Duration timeout;
    private final CompletableFuture<?>[] replies;

    /** With `isFlushed`, the library flushes by itself. */
    LettuceAdapterBurst(
            StatefulRedisConnection<W, W> connection,
            Calls<StatefulRedisConnection<W, W>, W> calls,
            int depth,
            boolean isFlushed) {
        this.connection = connection;
        this.calls = calls;
        this.isFlushed = isFlushed;
        timeout = connection.getTimeout();
        replies = new CompletableFuture<?>[depth];
    }

    @Override
    public Object perform(int first) {
        issue(first);
        await(replies);
        return replies;
    }

    private void issue(int first) {
        for (int i = 0; i < replies.length; i++) {
            replies[i] = future(calls.send(connection, first + i));
        }
    }

    private static CompletableFuture<?> future(Object sent) {
        return sent instanceof Mono<?> mono ? mono.toFuture() : ((RedisFuture<?>) sent).toCompletableFuture();
    }

    private void await(CompletableFuture<?>... awaited) {
        if (!isFlushed) {
            connection.flushCommands();
        }
        if (!LettuceFutures.awaitAll(timeout, awaited)) {
            throw new RedisCommandTimeoutException("no reply to all of a unit in " + timeout);
        }
    }

    /** The same as a transaction; `multi` and `exec` are of the same API. */
    Unit within(Supplier<Object> multi, Supplier<Object> exec) {
        return first -> {
            CompletableFuture<?> begun = future(multi.get());
            issue(first);
            await(begun, future(exec.get()));
            return replies;
        };
    }
}
