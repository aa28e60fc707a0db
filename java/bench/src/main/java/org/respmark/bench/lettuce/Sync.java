package org.respmark.bench.lettuce;

import org.openjdk.jmh.annotations.Benchmark;
import org.respmark.bench.Data;

/** Sends one command and waits for its reply. */
public class Sync extends OneConnection {
    /** GET. */
    @Benchmark
    public void get() {
        tally.value(next, connection.sync().get(Data.key(next)));
        next = Data.after(next);
    }

    /** SET. */
    @Benchmark
    public void set() {
        tally.status(connection.sync().set(Data.key(next), Data.value(next)));
        next = Data.after(next);
    }
}
