package respmark.clients.lettuce;

import io.lettuce.core.KeyValue;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import respmark.workload.Commands;
import respmark.workload.Method;

/**
 * The commands of a workload, and the methods of the library that send them; W is String or byte[].
 *
 * @param mappings for each MSET, its keys with their values; empty if there are no MSETs
 */
record LettuceCalls<W>(Commands<W> commands, List<Map<W, W>> mappings) {
    static <W> LettuceCalls<W> of(Commands<W> commands) {
        List<Map<W, W>> mappings = new ArrayList<>();
        for (int i = 0; commands.has(Method.MSET) && i < commands.length(); i++) {
            mappings.add(commands.method(i) == Method.MSET ? mapping(commands.words(i)) : null);
        }
        return new LettuceCalls<>(commands, mappings);
    }

    private static <W> Map<W, W> mapping(W[] words) {
        Map<W, W> mapping = new LinkedHashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            mapping.put(words[i], words[i + 1]);
        }
        return mapping;
    }

    boolean isGet(int command) {
        return commands.method(command) == Method.GET;
    }

    @SuppressWarnings("unchecked") // lpush and sadd take any number of values
    Object now(RedisCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Method.GET -> redis.get(commands.key(command));
            case Method.SET -> redis.set(commands.key(command), commands.value(command));
            case Method.PING -> redis.ping();
            case Method.GETRANGE ->
                redis.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.MGET -> redis.mget(commands.words(command));
            case Method.MSET -> redis.mset(mappings.get(command));
            case Method.EXPIRE -> redis.expire(commands.key(command), commands.number(command));
            case Method.INCRBY -> redis.incrby(commands.key(command), commands.number(command));
            case Method.LPUSH -> redis.lpush(commands.key(command), commands.value(command));
            case Method.LTRIM ->
                redis.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.LRANGE ->
                redis.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.HGETALL -> redis.hgetall(commands.key(command));
            case Method.SADD -> redis.sadd(commands.key(command), commands.value(command));
            case Method.ZADD -> redis.zadd(commands.key(command), commands.score(command), commands.value(command));
            default -> throw new IllegalStateException("a command without a method was let through");
        };
    }

    @SuppressWarnings("unchecked") // as above
    CompletionStage<?> later(RedisAsyncCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Method.GET -> redis.get(commands.key(command));
            case Method.SET -> redis.set(commands.key(command), commands.value(command));
            case Method.PING -> redis.ping();
            case Method.GETRANGE ->
                redis.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.MGET -> redis.mget(commands.words(command));
            case Method.MSET -> redis.mset(mappings.get(command));
            case Method.EXPIRE -> redis.expire(commands.key(command), commands.number(command));
            case Method.INCRBY -> redis.incrby(commands.key(command), commands.number(command));
            case Method.LPUSH -> redis.lpush(commands.key(command), commands.value(command));
            case Method.LTRIM ->
                redis.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.LRANGE ->
                redis.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
            case Method.HGETALL -> redis.hgetall(commands.key(command));
            case Method.SADD -> redis.sadd(commands.key(command), commands.value(command));
            case Method.ZADD -> redis.zadd(commands.key(command), commands.score(command), commands.value(command));
            default -> throw new IllegalStateException("a command without a method was let through");
        };
    }

    /** Subscribing through `toFuture` sends the command; multiple values are collected. */
    @SuppressWarnings("unchecked") // as above
    CompletableFuture<?> later(RedisReactiveCommands<W, W> redis, int command) {
        return switch (commands.method(command)) {
            case Method.GET -> redis.get(commands.key(command)).toFuture();
            case Method.SET ->
                redis.set(commands.key(command), commands.value(command)).toFuture();
            case Method.PING -> redis.ping().toFuture();
            case Method.GETRANGE ->
                redis.getrange(commands.key(command), commands.number(command), commands.secondNumber(command))
                        .toFuture();
            case Method.MGET ->
                redis.mget(commands.words(command)).collectList().toFuture();
            case Method.MSET -> redis.mset(mappings.get(command)).toFuture();
            case Method.EXPIRE ->
                redis.expire(commands.key(command), commands.number(command)).toFuture();
            case Method.INCRBY ->
                redis.incrby(commands.key(command), commands.number(command)).toFuture();
            case Method.LPUSH ->
                redis.lpush(commands.key(command), commands.value(command)).toFuture();
            case Method.LTRIM ->
                redis.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command))
                        .toFuture();
            case Method.LRANGE ->
                redis.lrange(commands.key(command), commands.number(command), commands.secondNumber(command))
                        .collectList()
                        .toFuture();
            case Method.HGETALL ->
                redis.hgetall(commands.key(command))
                        .collectMap(KeyValue::getKey, KeyValue::getValue)
                        .toFuture();
            case Method.SADD ->
                redis.sadd(commands.key(command), commands.value(command)).toFuture();
            case Method.ZADD ->
                redis.zadd(commands.key(command), commands.score(command), commands.value(command))
                        .toFuture();
            default -> throw new IllegalStateException("a command without a method was let through");
        };
    }

    /** A reply without the library's own types: MGET returns each value with its key. */
    static Object plain(Object reply) {
        if (reply instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof KeyValue<?, ?>) {
            List<Object> values = new ArrayList<>();
            list.forEach(each -> values.add(((KeyValue<?, ?>) each).getValueOrElse(null)));
            return values;
        }
        return reply;
    }
}
