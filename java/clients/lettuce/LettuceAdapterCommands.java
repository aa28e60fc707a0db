import io.lettuce.core.KeyValue;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.HashMap;
import java.util.Map;
import respmark.Commands;

/** The library's methods, in each of its three APIs; W is what keys and values are. */
final class LettuceAdapterCommands {
    private LettuceAdapterCommands() {}

    @SuppressWarnings({"unchecked", "deprecation"}) // lpush and sadd take any number of values; SETEX is what is sent
    static <W> Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> sync() {
        Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> on.sync().get(w.key(i)));
        commands.put("SET", (on, w, i) -> on.sync().set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> on.sync().ping());
        commands.put("SETEX", (on, w, i) -> on.sync().setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> on.sync().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> on.sync().mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> on.sync().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> on.sync().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> on.sync().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.sync().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> on.sync().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> on.sync().lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> on.sync().hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> on.sync().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> on.sync().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a RedisFuture. */
    @SuppressWarnings({"unchecked", "deprecation", "FutureReturnValueIgnored"}) // as above; the future is returned
    static <W> Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> async() {
        Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> on.async().get(w.key(i)));
        commands.put("SET", (on, w, i) -> on.async().set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> on.async().ping());
        commands.put("SETEX", (on, w, i) -> on.async().setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> on.async().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> on.async().mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> on.async().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> on.async().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> on.async().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.async().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> on.async().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> on.async().lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> on.async().hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> on.async().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> on.async().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a Mono, which sends the command when it is subscribed to; several values are collected. */
    @SuppressWarnings({"unchecked", "deprecation"}) // as above
    static <W> Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> reactive() {
        Map<String, Commands.Method<StatefulRedisConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> on.reactive().get(w.key(i)));
        commands.put("SET", (on, w, i) -> on.reactive().set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> on.reactive().ping());
        commands.put("SETEX", (on, w, i) -> on.reactive().setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> on.reactive().getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put(
                "MGET", (on, w, i) -> on.reactive().mget(w.several(i).words()).collectList());
        commands.put("MSET", (on, w, i) -> on.reactive().mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> on.reactive().expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> on.reactive().incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.reactive().lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> on.reactive().ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put(
                "LRANGE",
                (on, w, i) -> on.reactive()
                        .lrange(w.key(i), w.number(i, 0), w.number(i, 1))
                        .collectList());
        commands.put(
                "HGETALL",
                (on, w, i) -> on.reactive().hgetall(w.key(i)).collectMap(KeyValue::getKey, KeyValue::getValue));
        commands.put("SADD", (on, w, i) -> on.reactive().sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> on.reactive().zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }
}
