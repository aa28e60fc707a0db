package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import redis.clients.jedis.AbstractTransaction;

/** MULTI, {@code depth} commands, EXEC; every reply decoded. */
public class Transaction extends OneConnection {
    /** Commands in a transaction. */
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
        try (AbstractTransaction transaction = jedis.multi()) {
            group.issueGets(transaction, next);
            transaction.exec();
            next = group.take(tally, next);
        }
    }

    /** SETs. */
    @Benchmark
    public void set() {
        try (AbstractTransaction transaction = jedis.multi()) {
            group.issueSets(transaction, next);
            transaction.exec();
            next = group.take(tally, next);
        }
    }
}
