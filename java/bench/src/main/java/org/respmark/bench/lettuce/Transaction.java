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
        finish(multi, commands.exec());
    }

    /** SETs. */
    @Benchmark
    public void set() throws ExecutionException, InterruptedException {
        RedisAsyncCommands<byte[], byte[]> commands = connection.async();
        RedisFuture<String> multi = commands.multi();
        group.issueSets(commands, next);
        finish(multi, commands.exec());
    }

    private void finish(RedisFuture<String> multi, RedisFuture<TransactionResult> result)
            throws ExecutionException, InterruptedException {
        connection.flushCommands();
        if (!"OK".equals(multi.get()) || result.get().wasDiscarded()) {
            throw new IllegalStateException("MULTI or EXEC did not do as it should");
        }
        next = group.take(tally, next);
    }
}
