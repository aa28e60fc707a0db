package org.respmark.bench.lettuce;

import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** {@code depth} commands buffered with auto-flush off, flushed once, every reply read. */
public class Batching extends OneConnection {
    /** Commands in a batch. */
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
        group.issueGets(connection.async(), next);
        connection.flushCommands();
        next = group.take(tally, next);
    }

    /** SETs. */
    @Benchmark
    public void set() throws ExecutionException, InterruptedException {
        group.issueSets(connection.async(), next);
        connection.flushCommands();
        next = group.take(tally, next);
    }
}
