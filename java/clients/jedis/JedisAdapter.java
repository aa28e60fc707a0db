import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.pool2.impl.GenericObjectPool;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
import redis.clients.jedis.csc.CacheStats;
import redis.clients.jedis.exceptions.JedisException;
import respmark.Calls;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Unsupported;
import respmark.Words;

/** Jedis: a RedisClient, as its documentation recommends, with a pool of connections inside. */
public final class JedisAdapter implements Library {
    private static final String CACHES_FOR = "Client side caching is only supported with";

    @Override
    public Client<?, ?> load(Trial trial) {
        if (trial.target().unixSocket() != null) {
            throw new Unsupported("Jedis opens no unix sockets by itself: name host and port");
        }
        return trial.is("decode", "text")
                ? new JedisClient<>(trial, JedisAdapterCommands.TEXT)
                : new JedisClient<>(trial, JedisAdapterCommands.BYTES);
    }

    private static final class JedisClient<W> implements Client<RedisClient, W> {
        private final HostAndPort address;
        private final DefaultJedisClientConfig config;
        private final JedisAdapterCommands<W> methods;
        private final List<RedisClient> clients = new ArrayList<>();
        private Cache cache;

        JedisClient(Trial trial, JedisAdapterCommands<W> methods) {
            this.methods = methods;
            address = new HostAndPort(trial.target().host(), trial.target().port());
            config = config(trial);
        }

        @SuppressWarnings("deprecation") // the replacement of sslSocketFactory takes key stores, not PEM files
        private static DefaultJedisClientConfig config(Trial trial) {
            Trial.Target target = trial.target();
            DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                    .user(target.username())
                    .password(target.password())
                    .database(target.database());
            if (trial.is("protocol", 2)) {
                builder.resp2();
            }
            if (target.tls() != null) {
                builder.ssl(true)
                        .sslSocketFactory(Pem.sockets(target.tls()))
                        .sslParameters(Pem.parameters(target.tls()));
            }
            return builder.build();
        }

        @Override
        public Map<String, String> versions() {
            return Map.of(
                    "jedis", Library.version(RedisClient.class),
                    "commons-pool2", Library.version(GenericObjectPool.class));
        }

        @Override
        public Words<W> words() {
            return methods.words();
        }

        @Override
        public Map<String, Calls.Method<RedisClient, W>> commands() {
            return methods.client();
        }

        /** As installed; its pool of 8 connections grows only if more threads share it. */
        @Override
        public RedisClient connect(int threads) {
            ConnectionPoolConfig pool = new ConnectionPoolConfig();
            if (threads > pool.getMaxTotal()) {
                pool.setMaxTotal(threads);
                pool.setMaxIdle(threads);
            }
            return opened(with(pool), threads);
        }

        private RedisClient with(ConnectionPoolConfig pool) {
            return RedisClient.builder().hostAndPort(address).clientConfig(config).poolConfig(pool).build();
        }

        /** Opens its connections now, so that no unit of a slice has to. */
        private RedisClient opened(RedisClient client, int connections) {
            clients.add(client);
            List<Connection> opened = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                opened.add(client.getPool().getResource());
            }
            opened.forEach(Connection::close);
            return client;
        }

        @Override
        public void close(RedisClient client) {
            client.close();
        }

        @Override
        public Unit newConnection(Commands<W> commands) {
            Calls<Jedis, W> calls = commands.with(methods.connection());
            DefaultJedisClientConfig named = named();
            return first -> {
                try (Jedis connection = new Jedis(address, named)) {
                    return calls.send(connection, first);
                }
            };
        }

        /**
         * With the protocol by its name. A `Jedis` does not negotiate as RedisClient does: without a
         * name it speaks RESP2 and sends no HELLO. And with a cache, RedisClient would open a first
         * connection to find the protocol out and, if that fails, say that RESP3 is missing.
         */
        private DefaultJedisClientConfig named() {
            boolean isTwo = config.getRedisProtocol() == RedisProtocol.RESP2;
            return DefaultJedisClientConfig.builder()
                    .from(config)
                    .protocol(isTwo ? RedisProtocol.RESP2 : RedisProtocol.RESP3)
                    .build();
        }

        /** Borrows, sends and gives back: all inside the client. */
        @Override
        public Unit pool(Commands<W> commands, int threads, int maxTotal, int maxIdle) {
            ConnectionPoolConfig pool = new ConnectionPoolConfig();
            pool.setMaxTotal(maxTotal);
            pool.setMaxIdle(maxIdle);
            pool.setMaxWait(POOL_WAIT);
            RedisClient client = opened(with(pool), Math.min(threads, maxTotal));
            Calls<RedisClient, W> calls = commands.with(methods.client());
            return first -> calls.send(client, first);
        }

        /** The library checks the server before it caches. */
        @Override
        public Unit cache(Commands<W> commands, int entries) {
            cache = CacheFactory.getCache(CacheConfig.builder().maxSize(entries).build());
            RedisClient client;
            try {
                client = opened(RedisClient.builder().hostAndPort(address).clientConfig(named()).cache(cache).build(), 1);
            } catch (JedisException error) {
                if (String.valueOf(error.getMessage()).startsWith(CACHES_FOR)) {
                    throw new Unsupported("Jedis caches for no server like this one: " + error.getMessage());
                }
                throw error;
            }
            Calls<RedisClient, W> calls = commands.with(methods.client());
            return first -> calls.send(client, first);
        }

        @Override
        public CacheCounts cacheCounts() {
            if (cache == null) {
                return null;
            }
            CacheStats stats = cache.getStats();
            return new CacheCounts(stats.getHitCount(), stats.getMissCount(), stats.getInvalidationCount());
        }

        /** Commands are buffered, `sync` sends them and reads all replies, `get` decodes each. */
        @Override
        public Unit batch(RedisClient client, Commands<W> commands, int depth) {
            Calls<PipeliningBase, W> calls = commands.with(methods.pipeline());
            Object[] replies = new Object[depth];
            return first -> {
                try (AbstractPipeline pipeline = client.pipelined()) {
                    for (int i = 0; i < depth; i++) {
                        replies[i] = calls.send(pipeline, first + i);
                    }
                    pipeline.sync();
                }
                for (int i = 0; i < depth; i++) {
                    replies[i] = ((Response<?>) replies[i]).get();
                }
                return replies;
            };
        }

        /** Form `batched`: MULTI and the commands in one flush. Form `queued`: each is a round trip. */
        @Override
        public Unit transaction(RedisClient client, Commands<W> commands, int depth, String form) {
            Calls<PipeliningBase, W> calls = commands.with(methods.pipeline());
            boolean isBatched = form.equals("batched");
            return first -> {
                try (AbstractTransaction transaction = isBatched
                        ? client.multi()
                        : new ReliableTransaction(client.getPool().getResource(), true, true)) {
                    for (int i = first; i < first + depth; i++) {
                        calls.send(transaction, i);
                    }
                    return transaction.exec().toArray();
                }
            };
        }

        @Override
        public void close() {
            clients.forEach(RedisClient::close);
        }
    }
}
