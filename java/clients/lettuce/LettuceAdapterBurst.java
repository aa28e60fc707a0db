import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulConnection;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import respmark.Unit;

/** Commands issued without waiting, between MULTI and EXEC or not, then awaited. */
record LettuceAdapterBurst(StatefulConnection<?, ?> connection, IntFunction<Object> send, boolean isFlushed, int depth)
        implements Unit {

    @Override
    public Object perform(int first) {
        RedisFuture<?>[] replies = issued(first);
        await(replies);
        return replies;
    }

    private RedisFuture<?>[] issued(int first) {
        RedisFuture<?>[] replies = new RedisFuture<?>[depth];
        for (int i = 0; i < depth; i++) {
            replies[i] = (RedisFuture<?>) send.apply(first + i);
        }
        return replies;
    }

    private void await(RedisFuture<?>... awaited) {
        if (!isFlushed) {
            connection.flushCommands();
        }
        if (!LettuceFutures.awaitAll(connection.getTimeout(), awaited)) {
            throw new RedisCommandTimeoutException("no reply to all of a unit in " + connection.getTimeout());
        }
    }

    /** The same as a transaction: its replies are those of EXEC, too. */
    Unit within(Supplier<RedisFuture<?>> multi, Supplier<RedisFuture<TransactionResult>> exec) {
        return first -> {
            RedisFuture<?> begun = multi.get();
            RedisFuture<?>[] replies = issued(first);
            RedisFuture<TransactionResult> done = exec.get();
            await(begun, done);
            check(done.get(), depth);
            return replies;
        };
    }

    /** After a reconnect during its reply, EXEC has fewer replies, without an error. */
    static void check(TransactionResult result, int depth) {
        if (result.wasDiscarded() || result.size() != depth) {
            throw new RedisCommandExecutionException("EXEC returned " + result.size() + " replies");
        }
    }
}
