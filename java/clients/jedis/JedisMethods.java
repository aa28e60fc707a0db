import java.util.HashMap;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.JedisBinaryCommands;
import redis.clients.jedis.commands.JedisCommands;
import redis.clients.jedis.commands.PipelineBinaryCommands;
import redis.clients.jedis.commands.PipelineCommands;
import respmark.Commands;
import respmark.Words;

/**
 * The methods of Jedis from version 4 on, for keys and values of one type: of a client (C), a connection, a pipeline (P)
 * and a transaction (T).
 */
@SuppressWarnings("deprecation") // SETEX: the SET with EX that Jedis advises is another command
record JedisMethods<C, P, T, W>(
        Words<W> words,
        Map<String, Commands.Method<C, W>> client,
        Map<String, Commands.Method<Jedis, W>> connection,
        Map<String, Commands.Method<P, W>> pipeline,
        Map<String, Commands.Method<T, W>> transaction) {

    static <C extends JedisCommands, P extends PipelineCommands, T extends PipelineCommands>
            JedisMethods<C, P, T, String> text() {
        return new JedisMethods<>(Words.TEXT, ofText(), ofText(), pipelinedText(), pipelinedText());
    }

    static <C extends JedisBinaryCommands, P extends PipelineBinaryCommands, T extends PipelineBinaryCommands>
            JedisMethods<C, P, T, byte[]> bytes() {
        return new JedisMethods<>(Words.BYTES, ofBytes(), ofBytes(), pipelinedBytes(), pipelinedBytes());
    }

    private static <C extends JedisCommands> Map<String, Commands.Method<C, String>> ofText() {
        Map<String, Commands.Method<C, String>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        commands.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        commands.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    private static <C extends JedisBinaryCommands> Map<String, Commands.Method<C, byte[]>> ofBytes() {
        Map<String, Commands.Method<C, byte[]>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        commands.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        commands.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    private static <C extends PipelineCommands> Map<String, Commands.Method<C, String>> pipelinedText() {
        Map<String, Commands.Method<C, String>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        commands.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        commands.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }

    private static <C extends PipelineBinaryCommands> Map<String, Commands.Method<C, byte[]>> pipelinedBytes() {
        Map<String, Commands.Method<C, byte[]>> commands = new HashMap<>();
        commands.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        commands.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        commands.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        commands.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        commands.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        commands.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        commands.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        commands.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        commands.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        return commands;
    }
}
