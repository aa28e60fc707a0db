import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
import redis.clients.jedis.csc.CacheStats;
import redis.clients.jedis.exceptions.JedisException;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;

/** Jedis: a RedisClient, as its documentation recommends, with a pool of connections inside. */
public final class JedisAdapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        return trial.is("decode", "text")
                ? new JedisClient<>(trial, JedisAdapterCommands.TEXT)
                : new JedisClient<>(trial, JedisAdapterCommands.BYTES);
    }

    private static final class JedisClient<W> extends JedisBase<RedisClient, W> {
        private static final String CACHES_FOR = "Client side caching is only supported with";

        private final JedisAdapterCommands<W> methods;
        private Cache cache;

        JedisClient(Trial trial, JedisAdapterCommands<W> methods) {
            super(trial, methods.words());
            this.methods = methods;
        }

        @Override
        public Map<String, Commands.Method<RedisClient, W>> commands() {
            return methods.client();
        }

        /** RedisClient negotiates RESP3 unless a protocol is named. */
        @Override
        RedisClient pooled(int maxTotal, int maxIdle, long maxWaitMillis, int connections) {
            RedisClient client = RedisClient.builder()
                    .hostAndPort(address)
                    .clientConfig((trial.is("protocol", 2) ? config().resp2() : config()).build())
                    .poolConfig(sized(new ConnectionPoolConfig(), maxTotal, maxIdle, maxWaitMillis))
                    .build();
            client.getPool().addObjects(connections);
            return client;
        }

        /** A `Jedis` does not negotiate as RedisClient does: as installed it sends no HELLO. */
        @Override
        public Map<String, Object> settings() {
            return trial.scenario().equals("new-connection") ? Map.of("protocol", 2) : super.settings();
        }

        @Override
        public Unit newConnection(Commands<W> commands) {
            Commands.Calls<Jedis> calls = commands.with(methods.connection());
            DefaultJedisClientConfig config = config().build();
            return first -> {
                try (Jedis connection = new Jedis(address, config)) {
                    return calls.send(connection, first);
                }
            };
        }

        /**
         * The library checks the server before it caches. RESP3 is named: else it would open a first connection to
         * find the protocol out and, if that fails, say that RESP3 is missing.
         */
        @Override
        public Unit cache(Commands<W> commands, int entries) {
            cache = CacheFactory.getCache(CacheConfig.builder().maxSize(entries).build());
            try {
                RedisClient client = own(RedisClient.builder()
                        .hostAndPort(address)
                        .clientConfig(config().protocol(RedisProtocol.RESP3).build())
                        .cache(cache)
                        .build());
                client.getPool().addObjects(1);
                return command(client, commands);
            } catch (JedisException error) {
                String reason = String.valueOf(
                        error.getCause() == null ? error : error.getCause().getMessage());
                throw reason.startsWith(CACHES_FOR) ? new UnsupportedOperationException(reason) : error;
            }
        }

        @Override
        public CacheCounts cacheCounts() {
            if (cache == null) {
                return null;
            }
            CacheStats stats = cache.getStats();
            return new CacheCounts(stats.getHitCount(), stats.getMissCount(), stats.getInvalidationCount());
        }

        @Override
        public Unit batch(RedisClient client, Commands<W> commands, int depth) {
            return batch(client::pipelined, commands.with(methods.pipeline()), depth);
        }

        /** Form `batched`: MULTI and the commands in one flush. Form `queued`: each is a round trip. */
        @Override
        public Unit transaction(RedisClient client, Commands<W> commands, int depth, String form) {
            Supplier<AbstractTransaction> multi = form.equals("batched")
                    ? client::multi
                    : () -> new ReliableTransaction(client.getPool().getResource(), true, true);
            return transaction(multi, commands.with(methods.pipeline()), depth, AbstractTransaction::exec);
        }
    }
}
