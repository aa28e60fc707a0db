package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import redis.clients.jedis.AbstractTransaction;

/** MULTI, {@code depth} commands, EXEC; every reply decoded. */
public class Transaction extends OneConnection {
  /** Commands in a transaction. */
  @Param({"10", "100"})
  public int depth;

  private Group group;

  /** Makes room for the replies. */
  @Setup(Level.Trial)
  public void prepare() {
    group = new Group(depth);
  }

  /** One transaction. */
  @Benchmark
  public void transaction() {
    try (AbstractTransaction transaction = jedis.multi()) {
      group.issue(transaction, next);
      transaction.exec();
      next = group.take(tally, next);
    }
  }
}
