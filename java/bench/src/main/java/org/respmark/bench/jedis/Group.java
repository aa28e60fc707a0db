package org.respmark.bench.jedis;

import java.util.ArrayList;
import java.util.List;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.Response;

/** Commands that Jedis sends together, and their replies. */
final class Group {
    private final int depth;
    private final List<Response<byte[]>> values;
    private final List<Response<String>> statuses;

    Group(int depth) {
        this.depth = depth;
        this.values = new ArrayList<>(depth);
        this.statuses = new ArrayList<>(depth);
    }

    void issueGets(PipeliningBase pipeline, int first) {
        values.clear();
        for (int number = first, left = depth; left > 0; left--, number = Data.after(number)) {
            values.add(pipeline.get(Data.key(number)));
        }
    }

    void issueSets(PipeliningBase pipeline, int first) {
        statuses.clear();
        for (int number = first, left = depth; left > 0; left--, number = Data.after(number)) {
            statuses.add(pipeline.set(Data.key(number), Data.value(number)));
        }
    }

    /** Decodes every reply; throws if one is an error. Returns the number of the next key. */
    int takeGets(Tally tally, int first) {
        int number = first;
        for (Response<byte[]> value : values) {
            tally.value(number, value.get());
            number = Data.after(number);
        }
        return number;
    }

    /** Decodes every reply; throws if one is an error. Returns the number of the next key. */
    int takeSets(Tally tally, int first) {
        int number = first;
        for (Response<String> status : statuses) {
            tally.status(status.get());
            number = Data.after(number);
        }
        return number;
    }
}
