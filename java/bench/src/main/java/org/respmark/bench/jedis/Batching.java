package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import redis.clients.jedis.Pipeline;

/** A pipeline of {@code depth} commands: buffered, sent, every reply read and decoded. */
public class Batching extends OneConnection {
  /** Commands in a pipeline. */
  @Param({"10", "100"})
  public int depth;

  private Group group;

  /** Makes room for the replies. */
  @Setup(Level.Trial)
  public void prepare() {
    group = new Group(depth);
  }

  /** One pipeline. */
  @Benchmark
  public void batch() {
    try (Pipeline pipeline = jedis.pipelined()) {
      group.issue(pipeline, next);
      pipeline.sync();
      next = group.take(tally, next);
    }
  }
}
