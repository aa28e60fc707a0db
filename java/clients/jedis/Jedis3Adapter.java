import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.MultiKeyPipelineBase;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Transaction;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/**
 * Jedis 3: a `Jedis` is one connection for one thread, a `JedisPool` of them is what threads share; a `JedisCluster` has one
 * for each node, and is for threads and for one.
 */
public final class Jedis3Adapter implements Library {
    private static final Map<String, Commands.Method<Jedis, String>> CONNECTION = new HashMap<>();
    private static final Map<String, Commands.Method<JedisCluster, String>> CLUSTER = new HashMap<>();
    private static final Map<String, Commands.Method<MultiKeyPipelineBase, String>> PIPELINE = new HashMap<>();

    @Override
    public Client<?, ?> load(Trial trial) {
        return new Jedis3Client(trial);
    }

    private static final class Jedis3Client extends JedisBase<Closeable, String> {
        Jedis3Client(Trial trial) {
            super(trial, Words.TEXT);
        }

        /** A connection sends by itself; of a pool, one is borrowed for each command. */
        @Override
        public Map<String, Commands.Method<Closeable, String>> commands() {
            Map<String, Commands.Method<Closeable, String>> commands = new HashMap<>();
            if (trial.server().cluster()) {
                CLUSTER.forEach(
                        (name, method) -> commands.put(name, (on, w, i) -> method.send((JedisCluster) on, w, i)));
                return commands;
            }
            CONNECTION.forEach((name, method) -> commands.put(name, (on, w, i) -> {
                if (on instanceof Jedis connection) {
                    return method.send(connection, w, i);
                }
                try (Jedis borrowed = ((JedisPool) on).getResource()) {
                    return method.send(borrowed, w, i);
                }
            }));
            return commands;
        }

        @Override
        public Closeable connect(int threads) {
            return trial.scenario().equals("threads") || trial.server().cluster()
                    ? super.connect(threads)
                    : new Jedis(address, config().build());
        }

        @Override
        Closeable pooled(int maxTotal, int maxIdle, long maxWaitMillis, int connections) {
            if (trial.server().cluster()) {
                GenericObjectPoolConfig<Jedis> sized =
                        sized(new GenericObjectPoolConfig<>(), maxTotal, maxIdle, maxWaitMillis);
                JedisCluster cluster =
                        new JedisCluster(Set.of(address), config().build(), JedisCluster.DEFAULT_MAX_ATTEMPTS, sized);
                cluster.getClusterNodes().values().forEach(pool -> pool.addObjects(connections));
                return cluster;
            }
            JedisPoolConfig sized = sized(new JedisPoolConfig(), maxTotal, maxIdle, maxWaitMillis);
            JedisPool pool = new JedisPool(sized, address, config().build());
            pool.addObjects(connections);
            return pool;
        }

        @Override
        public Unit batch(Closeable client, Commands<String> commands, int depth) {
            return batch(((Jedis) client)::pipelined, commands.with(PIPELINE), depth, Pipeline::sync);
        }

        /** MULTI waits for its reply, the commands do not, and EXEC reads their replies before its own. */
        @Override
        public Unit transaction(Closeable client, Commands<String> commands, int depth, String form) {
            return transaction(((Jedis) client)::multi, commands.with(PIPELINE), depth, Transaction::exec);
        }
    }

    static {
        CONNECTION.put("PING", (redis, w, i) -> redis.ping());
        CONNECTION.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        CONNECTION.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        CONNECTION.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        CONNECTION.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        CONNECTION.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        CONNECTION.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        CONNECTION.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        CONNECTION.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        CONNECTION.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        CONNECTION.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        CONNECTION.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        CONNECTION.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        CONNECTION.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        CONNECTION.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        CLUSTER.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        CLUSTER.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        CLUSTER.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        CLUSTER.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        CLUSTER.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        CLUSTER.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        CLUSTER.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        CLUSTER.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        CLUSTER.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        CLUSTER.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        CLUSTER.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        CLUSTER.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        CLUSTER.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        CLUSTER.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
        PIPELINE.put("PING", (redis, w, i) -> redis.ping());
        PIPELINE.put("GET", (redis, w, i) -> redis.get(w.key(i)));
        PIPELINE.put("SET", (redis, w, i) -> redis.set(w.key(i), w.value(i)));
        PIPELINE.put("SETEX", (redis, w, i) -> redis.setex(w.key(i), w.number(i, 0), w.value(i)));
        PIPELINE.put("GETRANGE", (redis, w, i) -> redis.getrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        PIPELINE.put("MGET", (redis, w, i) -> redis.mget(w.several(i).words()));
        PIPELINE.put("MSET", (redis, w, i) -> redis.mset(w.several(i).words()));
        PIPELINE.put("EXPIRE", (redis, w, i) -> redis.expire(w.key(i), w.number(i, 0)));
        PIPELINE.put("INCRBY", (redis, w, i) -> redis.incrBy(w.key(i), w.number(i, 0)));
        PIPELINE.put("LPUSH", (redis, w, i) -> redis.lpush(w.key(i), w.value(i)));
        PIPELINE.put("LTRIM", (redis, w, i) -> redis.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        PIPELINE.put("LRANGE", (redis, w, i) -> redis.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        PIPELINE.put("HGETALL", (redis, w, i) -> redis.hgetAll(w.key(i)));
        PIPELINE.put("SADD", (redis, w, i) -> redis.sadd(w.key(i), w.value(i)));
        PIPELINE.put("ZADD", (redis, w, i) -> redis.zadd(w.key(i), w.score(i), w.value(i)));
    }
}
