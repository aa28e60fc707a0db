package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import redis.clients.jedis.Pipeline;

/** A pipeline of {@code depth} commands: buffered, sent, every reply read and decoded. */
public class Batching extends OneConnection {
    /** Commands in a pipeline. */
    @Param({"10", "100"})
    public int depth;

    private Group group;

    @Override
    protected void prepare() {
        group = new Group(depth);
    }

    /** GETs. */
    @Benchmark
    public void get() {
        try (Pipeline pipeline = jedis.pipelined()) {
            group.issueGets(pipeline, next);
            pipeline.sync();
            next = group.take(tally, next);
        }
    }

    /** SETs. */
    @Benchmark
    public void set() {
        try (Pipeline pipeline = jedis.pipelined()) {
            group.issueSets(pipeline, next);
            pipeline.sync();
            next = group.take(tally, next);
        }
    }
}
