package org.respmark.bench.jedis;

import org.respmark.bench.Data;
import org.respmark.bench.Tally;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.Response;

/** Commands that Jedis sends together, and their replies. */
final class Group {
    private final Object[] replies;

    Group(int depth) {
        replies = new Object[depth];
    }

    void issueGets(PipeliningBase pipeline, int first) {
        int number = first;
        for (int i = 0; i < replies.length; i++, number = Data.after(number)) {
            replies[i] = pipeline.get(Data.key(number));
        }
    }

    void issueSets(PipeliningBase pipeline, int first) {
        int number = first;
        for (int i = 0; i < replies.length; i++, number = Data.after(number)) {
            replies[i] = pipeline.set(Data.key(number), Data.value(number));
        }
    }

    /** Decodes every reply; throws if one is an error. Returns the number of the next key. */
    int take(Tally tally, int first) {
        for (int i = 0; i < replies.length; i++) {
            replies[i] = ((Response<?>) replies[i]).get();
        }
        return tally.replies(first, replies);
    }
}
