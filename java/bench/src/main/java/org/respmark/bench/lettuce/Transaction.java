package org.respmark.bench.lettuce;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.concurrent.ExecutionException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** MULTI, {@code depth} commands, EXEC, flushed once; every reply read. */
public class Transaction extends OneConnection {
  /** Commands in a transaction. */
  @Param({"10", "100"})
  public int depth;

  private Group group;

  /** Makes room for the replies; from here on, commands go when they are flushed. */
  @Setup(Level.Trial)
  public void prepare() {
    group = new Group(depth);
    connection.setAutoFlushCommands(false);
  }

  /** One transaction. */
  @Benchmark
  public void transaction() throws ExecutionException, InterruptedException {
    RedisAsyncCommands<byte[], byte[]> commands = connection.async();
    commands.multi();
    group.issue(commands, next);
    RedisFuture<TransactionResult> result = commands.exec();
    connection.flushCommands();
    if (result.get().wasDiscarded()) {
      throw new IllegalStateException("the transaction was discarded");
    }
    next = group.take(tally, next);
  }
}
