package org.respmark.bench.lettuce;

import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** {@code depth} commands buffered with auto-flush off, flushed once, every reply read. */
public class Batching extends OneConnection {
  /** Commands in a batch. */
  @Param({"10", "100"})
  public int depth;

  private Group group;

  /** Makes room for the replies; from here on, commands go when they are flushed. */
  @Setup(Level.Trial)
  public void prepare() {
    group = new Group(depth);
    connection.setAutoFlushCommands(false);
  }

  /** One batch. */
  @Benchmark
  public void batch() throws ExecutionException, InterruptedException {
    group.issue(connection.async(), next);
    connection.flushCommands();
    next = group.take(tally, next);
  }
}
