package org.respmark.bench.jedis;

import java.util.ArrayList;
import java.util.List;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.Response;

/** A group of commands that Jedis sends together, four GETs to a SET, and their replies. */
final class Group {
  private final int depth;
  private final List<Response<?>> replies;

  Group(int depth) {
    this.depth = depth;
    this.replies = new ArrayList<>(depth);
  }

  void issue(PipeliningBase pipeline, int first) {
    replies.clear();
    int number = first;
    for (int place = 1; place <= depth; place++) {
      if (place % Data.SET_EVERY == 0) {
        replies.add(pipeline.set(Data.key(number), Data.value(number)));
      } else {
        replies.add(pipeline.get(Data.key(number)));
      }
      number = Data.after(number);
    }
  }

  /**
   * Decodes every reply; an error among them is thrown here. Returns the number that comes next.
   */
  int take(Tally tally, int first) {
    int number = first;
    for (int place = 1; place <= depth; place++) {
      Object reply = replies.get(place - 1).get();
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
