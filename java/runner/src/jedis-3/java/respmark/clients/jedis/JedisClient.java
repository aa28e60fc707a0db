package respmark.clients.jedis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Transaction;
import respmark.contract.Description.Difference;
import respmark.contract.Event.LocalCache;
import respmark.contract.Scenario;

/**
 * The client object of Jedis 3: a {@link Jedis}, which is one connection for one thread, or a
 * {@link JedisPool} of them, which threads share. All that differs between versions is here and in
 * {@link JedisCalls}.
 */
final class JedisClient implements AutoCloseable {
    /** Jedis 3 sends no HELLO. */
    static final List<Object> PROTOCOLS = List.of(2);

    static final List<String> FORMS = List.of("batched");
    static final List<Difference> DIFFERENCES = List.of(new Difference(
            "maxTotal and maxIdle of a JedisPool",
            "8",
            "as many as threads share it, where that is more",
            "no thread waits for a connection where none is to be waited for",
            List.of(Scenario.THREADS)));

    static final boolean HAS_CACHE = false;

    private final Jedis connection;
    private final JedisPool pool;
    private final Map<String, Object> settings;

    private JedisClient(Jedis connection, JedisPool pool, Map<String, Object> settings) {
        this.connection = connection;
        this.pool = pool;
        this.settings = settings;
    }

    /** A connection. */
    static JedisClient single(HostAndPort address, DefaultJedisClientConfig config) {
        return new JedisClient(new Jedis(address, config), null, Map.of());
    }

    /** A pool; opens this many connections now, so no unit of a slice has to. */
    static JedisClient shared(HostAndPort address, DefaultJedisClientConfig config, PoolConfig given, int connections) {
        JedisPool pool = new JedisPool(given, address, config);
        List<Jedis> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(pool.getResource());
        }
        opened.forEach(Jedis::close);
        return new JedisClient(null, pool, Map.of("max_total", given.getMaxTotal(), "max_idle", given.getMaxIdle()));
    }

    static JedisClient caching(HostAndPort address, DefaultJedisClientConfig config, int entries) {
        throw new IllegalStateException("objection() lets no caching through");
    }

    LocalCache localCache() {
        return null;
    }

    Map<String, Object> settings() {
        return settings;
    }

    /** Does nothing: Jedis 3 speaks only RESP2, without HELLO. */
    static void speak(DefaultJedisClientConfig.Builder builder, Object protocol) {}

    static DefaultJedisClientConfig unpooled(DefaultJedisClientConfig config, Object protocol) {
        return config;
    }

    /** Sends a command; with a pool, borrows a connection for it and gives the connection back. */
    Object send(JedisCalls calls, int command) {
        if (pool == null) {
            return calls.send(connection, command);
        }
        try (Jedis borrowed = pool.getResource()) {
            return calls.send(borrowed, command);
        }
    }

    Pipeline pipelined() {
        return connection.pipelined();
    }

    /** MULTI waits for its reply; the commands are sent without waiting, and EXEC reads their replies before its own. */
    Transaction multi(boolean isBatched) {
        return connection.multi();
    }

    @Override
    public void close() {
        if (pool == null) {
            connection.close();
        } else {
            pool.close();
        }
    }

    /** Settings of the pool. */
    static final class PoolConfig extends JedisPoolConfig {}
}
