import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
import redis.clients.jedis.exceptions.JedisException;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;

/** Jedis 5.2 to 7: as version 4, and RESP3 and a cache for whoever asks for them. */
@SuppressWarnings("deprecation") // JedisPooled, from version 7.2 on, for RedisClient
public final class Jedis5Adapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        return trial.is("decode", "text")
                ? new CachingClient<>(trial, JedisMethods.text(), JedisMethods.text())
                : new CachingClient<>(trial, JedisMethods.bytes(), JedisMethods.bytes());
    }

    private static final class CachingClient<W> extends Jedis4Adapter.PooledClient<W> {
        private Cache cache;

        CachingClient(
                Trial trial,
                JedisMethods<JedisPooled, Pipeline, Transaction, W> methods,
                JedisMethods<JedisPooled, Pipeline, ReliableTransaction, W> queued) {
            super(trial, methods, queued);
        }

        @Override
        DefaultJedisClientConfig.Builder withProtocol(DefaultJedisClientConfig.Builder config) {
            return trial.is("protocol", 2) ? config : config.resp3();
        }

        /** The library checks the server before it caches. */
        @Override
        public Unit cache(Commands<W> commands, int entries) {
            cache = CacheFactory.getCache(CacheConfig.builder().maxSize(entries).build());
            try {
                JedisPooled client = own(
                        new JedisPooled(address, withProtocol(config()).build(), cache, new ConnectionPoolConfig()));
                client.getPool().addObjects(1);
                return command(client, commands);
            } catch (JedisException error) {
                throw JedisCaches.refused(error);
            }
        }

        @Override
        public CacheCounts cacheCounts() {
            return JedisCaches.counts(cache);
        }
    }
}
