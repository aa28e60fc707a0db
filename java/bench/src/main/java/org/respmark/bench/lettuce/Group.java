package org.respmark.bench.lettuce;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;

/** Commands issued together through Lettuce's asynchronous API, and their replies. */
final class Group {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final RedisFuture<?>[] futures;
    private final Object[] replies;

    Group(int depth) {
        futures = new RedisFuture<?>[depth];
        replies = new Object[depth];
    }

    void issueGets(RedisAsyncCommands<byte[], byte[]> commands, int first) {
        int number = first;
        for (int i = 0; i < futures.length; i++, number = Data.after(number)) {
            futures[i] = commands.get(Data.key(number));
        }
    }

    void issueSets(RedisAsyncCommands<byte[], byte[]> commands, int first) {
        int number = first;
        for (int i = 0; i < futures.length; i++, number = Data.after(number)) {
            futures[i] = commands.set(Data.key(number), Data.value(number));
        }
    }

    /** Awaits every reply; throws if one is an error. Returns the number of the next key. */
    int take(Tally tally, int first) throws ExecutionException, InterruptedException {
        if (!LettuceFutures.awaitAll(LIMIT, futures)) {
            throw new IllegalStateException("not every reply came within " + LIMIT.toSeconds() + " s");
        }
        for (int i = 0; i < futures.length; i++) {
            replies[i] = futures[i].get();
        }
        return tally.replies(first, replies);
    }
}
