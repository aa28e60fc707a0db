package org.respmark.bench.lettuce;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;

/** A group of commands of Lettuce's asynchronous API, four GETs to a SET, and their replies. */
final class Group {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final int depth;
  private final RedisFuture<?>[] replies;

  Group(int depth) {
    this.depth = depth;
    this.replies = new RedisFuture<?>[depth];
  }

  void issue(RedisAsyncCommands<byte[], byte[]> commands, int first) {
    int number = first;
    for (int place = 1; place <= depth; place++) {
      if (place % Data.SET_EVERY == 0) {
        replies[place - 1] = commands.set(Data.key(number), Data.value(number));
      } else {
        replies[place - 1] = commands.get(Data.key(number));
      }
      number = Data.after(number);
    }
  }

  /** Awaits every reply; an error among them is thrown here. Returns the number that comes next. */
  int take(Tally tally, int first) throws ExecutionException, InterruptedException {
    if (!LettuceFutures.awaitAll(LIMIT, replies)) {
      throw new IllegalStateException("not every reply came within " + LIMIT.toSeconds() + " s");
    }
    int number = first;
    for (int place = 1; place <= depth; place++) {
      Object reply = replies[place - 1].get();
      if (place % Data.SET_EVERY == 0) {
        tally.status((String) reply);
      } else {
        tally.value(number, (byte[]) reply);
      }
      number = Data.after(number);
    }
    return number;
  }
}
