package org.respmark.bench.lettuce;

import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** {@code depth} commands issued through the asynchronous API without waiting, then all awaited. */
public class Pipelining extends OneConnection {
    /** Commands in a burst. */
    @Param({"10", "100"})
    public int depth;

    private Group group;

    @Override
    protected void prepare() {
        group = new Group(depth);
    }

    /** GETs. */
    @Benchmark
    public void get() throws ExecutionException, InterruptedException {
        group.issueGets(connection.async(), next);
        next = group.take(tally, next);
    }

    /** SETs. */
    @Benchmark
    public void set() throws ExecutionException, InterruptedException {
        group.issueSets(connection.async(), next);
        next = group.take(tally, next);
    }
}
