import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import respmark.Unit;

/** Commands issued without waiting, between MULTI and EXEC or not, then awaited. */
record LettuceAdapterBurst(
        StatefulRedisConnection<?, ?> connection,
        IntFunction<?> send,
        boolean isFlushed,
        CompletableFuture<?>[] replies)
        implements Unit {

    LettuceAdapterBurst(StatefulRedisConnection<?, ?> connection, IntFunction<?> send, boolean isFlushed, int depth) {
        this(connection, send, isFlushed, new CompletableFuture<?>[depth]);
    }

    @Override
    public Object perform(int first) {
        issue(first);
        await(replies);
        return replies;
    }

    private void issue(int first) {
        for (int i = 0; i < replies.length; i++) {
            replies[i] = future(send.apply(first + i));
        }
    }

    private static CompletableFuture<?> future(Object sent) {
        return sent instanceof Mono<?> mono ? mono.toFuture() : ((RedisFuture<?>) sent).toCompletableFuture();
    }

    private void await(CompletableFuture<?>... awaited) {
        if (!isFlushed) {
            connection.flushCommands();
        }
        if (!LettuceFutures.awaitAll(connection.getTimeout(), awaited)) {
            throw new RedisCommandTimeoutException("no reply to all of a unit in " + connection.getTimeout());
        }
    }

    /** The same as a transaction. */
    Unit within(Supplier<?> multi, Supplier<?> exec) {
        return first -> {
            CompletableFuture<?> begun = future(multi.get());
            issue(first);
            CompletableFuture<?> done = future(exec.get());
            await(begun, done);
            return checked((TransactionResult) done.join());
        };
    }

    /** After a reconnect during its reply, EXEC has fewer replies, without an error. */
    private Object checked(TransactionResult result) {
        if (result.wasDiscarded() || result.size() != replies.length) {
            throw new RedisCommandExecutionException("EXEC returned " + result.size() + " replies");
        }
        return replies;
    }
}
