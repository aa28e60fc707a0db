package org.respmark.bench.lettuce;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** MULTI, {@code depth} commands, EXEC, flushed once; every reply read. */
public class Transaction extends OneConnection {
    /** Commands in a transaction. */
    @Param({"10", "100"})
    public int depth;

    private Group group;

    @Override
    protected void prepare() {
        group = new Group(depth);
        connection.setAutoFlushCommands(false);
    }

    /** GETs. */
    @Benchmark
    public void get() throws ExecutionException, InterruptedException {
        RedisAsyncCommands<byte[], byte[]> commands = connection.async();
        RedisFuture<String> multi = commands.multi();
        group.issueGets(commands, next);
        RedisFuture<TransactionResult> result = commands.exec();
        connection.flushCommands();
        mustBeWhole(multi.get(), result.get());
        next = group.take(tally, next);
    }

    /** SETs. */
    @Benchmark
    public void set() throws ExecutionException, InterruptedException {
        RedisAsyncCommands<byte[], byte[]> commands = connection.async();
        RedisFuture<String> multi = commands.multi();
        group.issueSets(commands, next);
        RedisFuture<TransactionResult> result = commands.exec();
        connection.flushCommands();
        mustBeWhole(multi.get(), result.get());
        next = group.take(tally, next);
    }

    private static void mustBeWhole(String multi, TransactionResult result) {
        if (!"OK".equals(multi) || result.wasDiscarded()) {
            throw new IllegalStateException("MULTI returned `" + multi + "`, or EXEC discarded the commands");
        }
    }
}
