package respmark.clients.jedis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.builders.StandaloneClientBuilder;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
import redis.clients.jedis.csc.CacheStats;
import respmark.contract.Description.Difference;
import respmark.contract.Event.LocalCache;
import respmark.contract.Scenario;

/**
 * The client object of today's Jedis: {@link RedisClient}, as the documentation recommends, with a
 * pool of connections from commons-pool2 inside. All that differs between versions is here and in
 * {@link JedisCalls}.
 */
final class JedisClient implements AutoCloseable {
    static final List<Object> PROTOCOLS = List.of(3, 2);
    static final List<String> FORMS = List.of("queued", "batched");
    static final List<Difference> DIFFERENCES = List.of(
            new Difference(
                    "RedisProtocol of a Jedis",
                    "none: RESP2 without HELLO",
                    "named, as the option protocol says",
                    "Jedis does not negotiate as RedisClient does; its label would not be true",
                    List.of(Scenario.NEW_CONNECTION)),
            new Difference(
                    "maxSize of CacheConfig",
                    "10,000",
                    "cache_entries",
                    "the hit ratio is to follow from the shape",
                    List.of(Scenario.CACHING)),
            new Difference(
                    "maxTotal and maxIdle of a RedisClient's own pool",
                    "8",
                    "as many as threads share it, where that is more",
                    "no thread waits for a connection where none is to be waited for",
                    List.of(Scenario.THREADS)));

    static final boolean HAS_CACHE = true;

    private final RedisClient client;
    private final Cache cache;

    private JedisClient(RedisClient client, Cache cache) {
        this.client = client;
        this.cache = cache;
    }

    /** A client for one thread, with its pool as installed. */
    static JedisClient single(HostAndPort address, DefaultJedisClientConfig config) {
        return shared(address, config, new PoolConfig(), 1);
    }

    /** A client that threads share; opens its connections now, so no unit of a slice has to. */
    static JedisClient shared(HostAndPort address, DefaultJedisClientConfig config, PoolConfig pool, int connections) {
        return opened(builder(address, config).poolConfig(pool).build(), null, connections);
    }

    /** A client for one thread, with the library's own cache of this many entries. */
    static JedisClient caching(HostAndPort address, DefaultJedisClientConfig config, int entries) {
        // If no protocol is named, Jedis opens a first connection to find out which one it speaks. If that fails, it
        // reports that RESP3 is missing, not why there is no connection.
        DefaultJedisClientConfig named = unpooled(config, 3);
        Cache cache =
                CacheFactory.getCache(CacheConfig.builder().maxSize(entries).build());
        return opened(builder(address, named).cache(cache).build(), cache, 1);
    }

    private static StandaloneClientBuilder<RedisClient> builder(HostAndPort address, DefaultJedisClientConfig config) {
        return RedisClient.builder().hostAndPort(address).clientConfig(config);
    }

    private static JedisClient opened(RedisClient client, Cache cache, int connections) {
        List<Connection> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(client.getPool().getResource());
        }
        opened.forEach(Connection::close);
        return new JedisClient(client, cache);
    }

    /** What the cache has done so far; null if there is none. */
    LocalCache localCache() {
        if (cache == null) {
            return null;
        }
        CacheStats stats = cache.getStats();
        return new LocalCache(stats.getHitCount(), stats.getMissCount(), stats.getInvalidationCount());
    }

    Map<String, Object> settings() {
        return Map.of(
                "max_total", client.getPool().getMaxTotal(),
                "max_idle", client.getPool().getMaxIdle());
    }

    /** RedisClient negotiates RESP3 unless a protocol is named. */
    static void speak(DefaultJedisClientConfig.Builder builder, Object protocol) {
        if (protocol.equals(2)) {
            builder.resp2();
        }
    }

    /**
     * The configuration of a connection without a client. Unlike {@link RedisClient}, a `Jedis`
     * does not negotiate: if the configuration names no protocol, it speaks RESP2 and sends no
     * HELLO. So the protocol is always named.
     */
    static DefaultJedisClientConfig unpooled(DefaultJedisClientConfig config, Object protocol) {
        return DefaultJedisClientConfig.builder()
                .from(config)
                .protocol(protocol.equals(2) ? RedisProtocol.RESP2 : RedisProtocol.RESP3)
                .build();
    }

    /** Borrows a connection, sends a command, gives the connection back: all inside the client. */
    Object send(JedisCalls calls, int command) {
        return calls.send(client, command);
    }

    AbstractPipeline pipelined() {
        return client.pipelined();
    }

    /** Form `batched`: MULTI and the commands in one flush. Form `queued`: each is a round trip. */
    AbstractTransaction multi(boolean isBatched) {
        return isBatched
                ? client.multi()
                : new ReliableTransaction(client.getPool().getResource(), true, true);
    }

    @Override
    public void close() {
        client.close();
    }

    /** Settings of the pool. */
    static final class PoolConfig extends ConnectionPoolConfig {}
}
