package org.respmark.bench.lettuce;

import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** {@code depth} commands issued through the asynchronous API without waiting, then all awaited. */
public class Pipelining extends OneConnection {
  /** Commands in a burst. */
  @Param({"10", "100"})
  public int depth;

  private Group group;

  /** Makes room for the replies. */
  @Setup(Level.Trial)
  public void prepare() {
    group = new Group(depth);
  }

  /** One burst. */
  @Benchmark
  public void burst() throws ExecutionException, InterruptedException {
    group.issue(connection.async(), next);
    next = group.take(tally, next);
  }
}
