import io.lettuce.core.KeyValue;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.HashMap;
import java.util.Map;
import respmark.Calls;

/** The library's methods, in each of its three APIs; W is what keys and values are. */
final class LettuceAdapterCommands {
    private LettuceAdapterCommands() {}

    @SuppressWarnings("unchecked") // lpush and sadd take any number of values
    static <W> Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> sync() {
        Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.sync().get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.sync().set(w.key(i), w.value(i)));
        commands.put("PING", (redis, w, i) -> redis.sync().ping());
        commands.put("GETRANGE", (redis, w, i) -> redis.sync().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.sync().mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.sync().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (redis, w, i) -> redis.sync().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.sync().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.sync().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.sync().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.sync().lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.sync().hgetall(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.sync().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.sync().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a RedisFuture. */
    @SuppressWarnings("unchecked") // as above
    static <W> Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> async() {
        Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.async().get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.async().set(w.key(i), w.value(i)));
        commands.put("PING", (redis, w, i) -> redis.async().ping());
        commands.put("GETRANGE", (redis, w, i) -> redis.async().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.async().mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.async().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (redis, w, i) -> redis.async().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.async().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.async().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.async().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.async().lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.async().hgetall(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.async().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.async().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a Mono, which sends the command when it is subscribed to; several values are collected. */
    @SuppressWarnings("unchecked") // as above
    static <W> Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> reactive() {
        Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.reactive().get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.reactive().set(w.key(i), w.value(i)));
        commands.put("PING", (redis, w, i) -> redis.reactive().ping());
        commands.put("GETRANGE", (redis, w, i) -> redis.reactive().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.reactive().mget(w.several(i).words()).collectList());
        commands.put("MSET", (redis, w, i) -> redis.reactive().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (redis, w, i) -> redis.reactive().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.reactive().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.reactive().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.reactive().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.reactive().lrange(w.key(i), w.number(i, 0), w.number(i, 1)).collectList());
        commands.put("HGETALL", (redis, w, i) -> redis.reactive().hgetall(w.key(i)).collectMap(KeyValue::getKey, KeyValue::getValue));
        commands.put("SADD", (redis, w, i) -> redis.reactive().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.reactive().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }
}
