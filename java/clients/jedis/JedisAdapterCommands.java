import java.util.HashMap;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.commands.JedisBinaryCommands;
import redis.clients.jedis.commands.JedisCommands;
import respmark.Commands;
import respmark.Words;

/** The library's methods, for keys and values of one type: of a client, a connection and a pipeline. */
record JedisAdapterCommands<W>(
        Words<W> words,
        Map<String, Commands.Method<RedisClient, W>> client,
        Map<String, Commands.Method<Jedis, W>> connection,
        Map<String, Commands.Method<PipeliningBase, W>> pipeline) {

    static final JedisAdapterCommands<String> TEXT = new JedisAdapterCommands<>(
            Words.TEXT, text((redis, w, i) -> redis.ping()), text((redis, w, i) -> redis.ping()), textPipeline());

    static final JedisAdapterCommands<byte[]> BYTES = new JedisAdapterCommands<>(
            Words.BYTES, bytes((redis, w, i) -> redis.ping()), bytes((redis, w, i) -> redis.ping()), bytesPipeline());

    @SuppressWarnings("deprecation") // SETEX: the SET with EX that Jedis advises is another command
    private static <C extends JedisCommands> Map<String, Commands.Method<C, String>> text(
            Commands.Method<C, String> ping) {
        Map<String, Commands.Method<C, String>> commands = new HashMap<>();
        commands.put("PING", ping);
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

    @SuppressWarnings("deprecation") // SETEX: the SET with EX that Jedis advises is another command
    private static <C extends JedisBinaryCommands> Map<String, Commands.Method<C, byte[]>> bytes(
            Commands.Method<C, byte[]> ping) {
        Map<String, Commands.Method<C, byte[]>> commands = new HashMap<>();
        commands.put("PING", ping);
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

    /** Pipelines and transactions have no ping(). */
    @SuppressWarnings("deprecation") // SETEX: the SET with EX that Jedis advises is another command
    private static Map<String, Commands.Method<PipeliningBase, String>> textPipeline() {
        Map<String, Commands.Method<PipeliningBase, String>> commands = new HashMap<>();
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

    @SuppressWarnings("deprecation") // SETEX: the SET with EX that Jedis advises is another command
    private static Map<String, Commands.Method<PipeliningBase, byte[]>> bytesPipeline() {
        Map<String, Commands.Method<PipeliningBase, byte[]>> commands = new HashMap<>();
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
