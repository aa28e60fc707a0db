package org.respmark.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A benchmark that fails as ours do: after an iteration, outside the timed part. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SometimesWrong {
    /** What it pretends to have been answered. */
    @Param({"right", "wrong"})
    public String reply;

    /** Does nothing. */
    @Benchmark
    public int operation() {
        return reply.length();
    }

    /** Looks at the reply. */
    @TearDown(Level.Iteration)
    public void check() {
        if ("wrong".equals(reply)) {
            throw new IllegalStateException("\"wrong\" reply");
        }
    }
}
