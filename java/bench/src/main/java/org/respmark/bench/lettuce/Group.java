package org.respmark.bench.lettuce;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;

/** Commands issued together through Lettuce's asynchronous API, and their replies. */
final class Group {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final int depth;
    private final List<RedisFuture<byte[]>> values;
    private final List<RedisFuture<String>> statuses;

    Group(int depth) {
        this.depth = depth;
        this.values = new ArrayList<>(depth);
        this.statuses = new ArrayList<>(depth);
    }

    void issueGets(RedisAsyncCommands<byte[], byte[]> commands, int first) {
        values.clear();
        for (int number = first, left = depth; left > 0; left--, number = Data.after(number)) {
            values.add(commands.get(Data.key(number)));
        }
    }

    void issueSets(RedisAsyncCommands<byte[], byte[]> commands, int first) {
        statuses.clear();
        for (int number = first, left = depth; left > 0; left--, number = Data.after(number)) {
            statuses.add(commands.set(Data.key(number), Data.value(number)));
        }
    }

    /** Awaits every reply; throws if one is an error. Returns the number of the next key. */
    int takeGets(Tally tally, int first) throws ExecutionException, InterruptedException {
        await(values);
        int number = first;
        for (RedisFuture<byte[]> value : values) {
            tally.value(number, value.get());
            number = Data.after(number);
        }
        return number;
    }

    /** Awaits every reply; throws if one is an error. Returns the number of the next key. */
    int takeSets(Tally tally, int first) throws ExecutionException, InterruptedException {
        await(statuses);
        int number = first;
        for (RedisFuture<String> status : statuses) {
            tally.status(status.get());
            number = Data.after(number);
        }
        return number;
    }

    private static void await(List<? extends Future<?>> replies) {
        if (!LettuceFutures.awaitAll(LIMIT, replies.toArray(Future[]::new))) {
            throw new IllegalStateException("not every reply came within " + LIMIT.toSeconds() + " s");
        }
    }
}
