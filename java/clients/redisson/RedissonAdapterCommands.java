import java.util.HashMap;
import java.util.Map;
import org.redisson.api.RBatch;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import respmark.Commands;

/** The library's objects and their methods, of a client, waiting or not, and of a batch. */
final class RedissonAdapterCommands {
    private static final Codec TEXT = StringCodec.INSTANCE;

    private RedissonAdapterCommands() {}

    static Map<String, Commands.Method<RedissonAdapter.Connected, String>> sync() {
        Map<String, Commands.Method<RedissonAdapter.Connected, String>> commands = new HashMap<>();
        commands.put(
                "GET", (on, w, i) -> on.redisson().getBucket(w.key(i), TEXT).get());
        commands.put("SET", (on, w, i) -> {
            on.redisson().getBucket(w.key(i), TEXT).set(w.value(i));
            return null;
        });
        commands.put(
                "MGET",
                (on, w, i) -> on.redisson().getBuckets(TEXT).get(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> {
            on.redisson().getBuckets(TEXT).set(w.several(i).pairs());
            return null;
        });
        commands.put(
                "INCRBY", (on, w, i) -> on.redisson().getAtomicLong(w.key(i)).addAndGet(w.number(i, 0)));
        commands.put(
                "LPUSH",
                (on, w, i) -> on.redisson().<String>getDeque(w.key(i), TEXT).addFirst(w.values(i)));
        commands.put("LTRIM", (on, w, i) -> {
            on.redisson().getList(w.key(i), TEXT).trim((int) w.number(i, 0), (int) w.number(i, 1));
            return null;
        });
        commands.put(
                "LRANGE",
                (on, w, i) -> on.redisson().getList(w.key(i), TEXT).range((int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put(
                "HGETALL", (on, w, i) -> on.redisson().getMap(w.key(i), TEXT).readAllMap());
        commands.put("SADD", (on, w, i) -> on.redisson().getSet(w.key(i), TEXT).add(w.value(i)));
        commands.put(
                "ZADD",
                (on, w, i) -> on.redisson().getScoredSortedSet(w.key(i), TEXT).add(w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns an RFuture. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future is returned
    static Map<String, Commands.Method<RedissonAdapter.Connected, String>> async() {
        Map<String, Commands.Method<RedissonAdapter.Connected, String>> commands = new HashMap<>();
        commands.put(
                "GET", (on, w, i) -> on.redisson().getBucket(w.key(i), TEXT).getAsync());
        commands.put(
                "SET", (on, w, i) -> on.redisson().getBucket(w.key(i), TEXT).setAsync(w.value(i)));
        commands.put(
                "MGET",
                (on, w, i) ->
                        on.redisson().getBuckets(TEXT).getAsync(w.several(i).words()));
        commands.put(
                "MSET",
                (on, w, i) ->
                        on.redisson().getBuckets(TEXT).setAsync(w.several(i).pairs()));
        commands.put(
                "INCRBY", (on, w, i) -> on.redisson().getAtomicLong(w.key(i)).addAndGetAsync(w.number(i, 0)));
        commands.put(
                "LPUSH",
                (on, w, i) -> on.redisson().<String>getDeque(w.key(i), TEXT).addFirstAsync(w.values(i)));
        commands.put(
                "LTRIM",
                (on, w, i) ->
                        on.redisson().getList(w.key(i), TEXT).trimAsync((int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put(
                "LRANGE",
                (on, w, i) ->
                        on.redisson().getList(w.key(i), TEXT).rangeAsync((int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put(
                "HGETALL", (on, w, i) -> on.redisson().getMap(w.key(i), TEXT).readAllMapAsync());
        commands.put("SADD", (on, w, i) -> on.redisson().getSet(w.key(i), TEXT).addAsync(w.value(i)));
        commands.put(
                "ZADD",
                (on, w, i) -> on.redisson().getScoredSortedSet(w.key(i), TEXT).addAsync(w.score(i), w.value(i)));
        return commands;
    }

    /** A batch has no object for several keys. */
    @SuppressWarnings("FutureReturnValueIgnored") // as above
    static Map<String, Commands.Method<RBatch, String>> ofBatch() {
        Map<String, Commands.Method<RBatch, String>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> on.getBucket(w.key(i), TEXT).getAsync());
        commands.put("SET", (on, w, i) -> on.getBucket(w.key(i), TEXT).setAsync(w.value(i)));
        commands.put("INCRBY", (on, w, i) -> on.getAtomicLong(w.key(i)).addAndGetAsync(w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.<String>getDeque(w.key(i), TEXT).addFirstAsync(w.values(i)));
        commands.put(
                "LTRIM",
                (on, w, i) -> on.getList(w.key(i), TEXT).trimAsync((int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put(
                "LRANGE",
                (on, w, i) -> on.getList(w.key(i), TEXT).rangeAsync((int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> on.getMap(w.key(i), TEXT).readAllMapAsync());
        commands.put("SADD", (on, w, i) -> on.getSet(w.key(i), TEXT).addAsync(w.value(i)));
        commands.put("ZADD", (on, w, i) -> on.getScoredSortedSet(w.key(i), TEXT).addAsync(w.score(i), w.value(i)));
        return commands;
    }
}
