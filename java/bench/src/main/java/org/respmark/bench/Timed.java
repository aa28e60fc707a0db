package org.respmark.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What all benchmarks here have in common: nanoseconds an operation, and a look at what was measured. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class Timed {
    /** Where replies go. */
    protected final Tally tally = new Tally();

    /** Number of the next key. */
    protected int next;

    /** Fails the benchmark if a reply was wrong. */
    @TearDown(Level.Iteration)
    public void check() {
        tally.check();
    }
}
