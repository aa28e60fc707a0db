import io.lettuce.core.KeyValue;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import respmark.Commands;

/**
 * The library's methods, in each of its three APIs, which `api` asks a connection for: those that servers and clusters have
 * in common. W is what keys and values are.
 */
final class LettuceAdapterCommands {
    private LettuceAdapterCommands() {}

    @SuppressWarnings({"unchecked", "deprecation"}) // lpush and sadd take any number of values; SETEX is what is sent
    static <W> Map<String, Commands.Method<StatefulConnection<W, W>, W>> sync(
            Function<StatefulConnection<W, W>, RedisClusterCommands<W, W>> api) {
        Map<String, Commands.Method<StatefulConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> api.apply(on).get(w.key(i)));
        commands.put("SET", (on, w, i) -> api.apply(on).set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> api.apply(on).ping());
        commands.put("SETEX", (on, w, i) -> api.apply(on).setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> api.apply(on).getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> api.apply(on).mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> api.apply(on).mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> api.apply(on).expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> api.apply(on).incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> api.apply(on).lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> api.apply(on).ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> api.apply(on).lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> api.apply(on).hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> api.apply(on).sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> api.apply(on).zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a RedisFuture. */
    @SuppressWarnings({"unchecked", "deprecation", "FutureReturnValueIgnored"}) // as above; the future is returned
    static <W> Map<String, Commands.Method<StatefulConnection<W, W>, W>> async(
            Function<StatefulConnection<W, W>, RedisClusterAsyncCommands<W, W>> api) {
        Map<String, Commands.Method<StatefulConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> api.apply(on).get(w.key(i)));
        commands.put("SET", (on, w, i) -> api.apply(on).set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> api.apply(on).ping());
        commands.put("SETEX", (on, w, i) -> api.apply(on).setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> api.apply(on).getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> api.apply(on).mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> api.apply(on).mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> api.apply(on).expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> api.apply(on).incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> api.apply(on).lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> api.apply(on).ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> api.apply(on).lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> api.apply(on).hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> api.apply(on).sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> api.apply(on).zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    /** Each returns a Mono, which sends the command when it is subscribed to; several values are collected. */
    @SuppressWarnings({"unchecked", "deprecation"}) // as above
    static <W> Map<String, Commands.Method<StatefulConnection<W, W>, W>> reactive(
            Function<StatefulConnection<W, W>, RedisClusterReactiveCommands<W, W>> api) {
        Map<String, Commands.Method<StatefulConnection<W, W>, W>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> api.apply(on).get(w.key(i)));
        commands.put("SET", (on, w, i) -> api.apply(on).set(w.key(i), w.value(i)));
        commands.put("PING", (on, w, i) -> api.apply(on).ping());
        commands.put("SETEX", (on, w, i) -> api.apply(on).setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> api.apply(on).getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put(
                "MGET", (on, w, i) -> api.apply(on).mget(w.several(i).words()).collectList());
        commands.put("MSET", (on, w, i) -> api.apply(on).mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> api.apply(on).expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> api.apply(on).incrby(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> api.apply(on).lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (on, w, i) -> api.apply(on).ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put(
                "LRANGE",
                (on, w, i) -> api.apply(on)
                        .lrange(w.key(i), w.number(i, 0), w.number(i, 1))
                        .collectList());
        commands.put(
                "HGETALL",
                (on, w, i) -> api.apply(on).hgetall(w.key(i)).collectMap(KeyValue::getKey, KeyValue::getValue));
        commands.put("SADD", (on, w, i) -> api.apply(on).sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (on, w, i) -> api.apply(on).zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }
}
