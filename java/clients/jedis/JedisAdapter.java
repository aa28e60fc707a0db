import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.MultiNodePipelineBase;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;

/**
 * Jedis: a RedisClient, as its documentation recommends, with a pool of connections inside; a RedisSentinelClient, whose
 * pool is of the primary that sentinels name; or a RedisClusterClient, with a pool for each node.
 */
public final class JedisAdapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        return trial.is("decode", "text")
                ? new JedisClient<>(trial, JedisMethods.text())
                : new JedisClient<>(trial, JedisMethods.bytes());
    }

    private static final class JedisClient<W> extends JedisBase<UnifiedJedis, W> {
        private final JedisMethods<UnifiedJedis, AbstractPipeline, AbstractTransaction, W> methods;
        private Cache cache;
        private ExecutorService threads;

        JedisClient(Trial trial, JedisMethods<UnifiedJedis, AbstractPipeline, AbstractTransaction, W> methods) {
            super(trial, methods.words());
            this.methods = methods;
        }

        @Override
        public Map<String, Commands.Method<UnifiedJedis, W>> commands() {
            return withAny(withPing(methods.client(), UnifiedJedis::ping), UnifiedJedis::executeCommand);
        }

        /** The methods with one for any command. */
        private static <R, W> Map<String, Commands.Method<R, W>> withAny(
                Map<String, Commands.Method<R, W>> methods, BiFunction<R, CommandArguments, Object> execute) {
            Map<String, Commands.Method<R, W>> commands = new HashMap<>(methods);
            Commands.AnyMethod<R, W> any = name -> {
                Protocol.Command command = Protocol.Command.valueOf(name);
                return (on, w, i) -> execute.apply(on, arguments(command, w.words(i), w.keyAmongWords(i)));
            };
            commands.put(Commands.ANY, any);
            return commands;
        }

        /** By its key, the node of a cluster is found. */
        private static CommandArguments arguments(Protocol.Command command, Object[] words, int key) {
            CommandArguments arguments = new CommandArguments(command);
            for (int word = 0; word < words.length; word++) {
                if (word == key) {
                    arguments.key(words[word]);
                } else {
                    arguments.add(words[word]);
                }
            }
            return arguments;
        }

        private AbstractClientBuilder<?, ? extends UnifiedJedis> builder() {
            if (trial.server().isOne()) {
                return RedisClient.builder().hostAndPort(address);
            }
            return trial.server().cluster()
                    ? RedisClusterClient.builder().nodes(Set.of(address))
                    : RedisSentinelClient.builder()
                            .masterName(Trial.WATCHED)
                            .sentinels(sentinels())
                            .sentinelClientConfig(ofSentinels());
        }

        private Set<HostAndPort> sentinels() {
            return trial.server().sentinels().stream()
                    .map(place -> new HostAndPort(place.host(), place.port()))
                    .collect(Collectors.toSet());
        }

        private DefaultJedisClientConfig ofSentinels() {
            DefaultJedisClientConfig.Builder config =
                    DefaultJedisClientConfig.builder().password(trial.server().password());
            if (trial.isLimited()) {
                int limitMillis = (int) LIMIT.toMillis();
                config.connectionTimeoutMillis(limitMillis).socketTimeoutMillis(limitMillis);
            }
            return config.build();
        }

        private static UnifiedJedis opened(UnifiedJedis client, int connections) {
            pools(client).forEach(pool -> pool.addObjects(connections));
            return client;
        }

        private static Collection<? extends Pool<Connection>> pools(UnifiedJedis client) {
            if (client instanceof RedisSentinelClient sentinel) {
                return sentinel.getPrimaryNodesConnectionMap().values();
            }
            return client instanceof RedisClusterClient cluster
                    ? cluster.getClusterNodes().values()
                    : List.of(((RedisClient) client).getPool());
        }

        /** A client negotiates RESP3 unless a protocol is named. */
        @Override
        UnifiedJedis pooled(int maxTotal, int maxIdle, long maxWaitMillis, int connections) {
            UnifiedJedis client = builder()
                    .clientConfig((trial.is("protocol", 2) ? config().resp2() : config()).build())
                    .poolConfig(sized(new ConnectionPoolConfig(), maxTotal, maxIdle, maxWaitMillis))
                    .build();
            return opened(client, connections);
        }

        /** A connection; of a cluster, and behind sentinels, a whole client. */
        @Override
        public Unit newConnection(Commands<W> commands) {
            if (!trial.server().isOne()) {
                return super.newConnection(commands);
            }
            Commands.Calls<Jedis> calls = commands.with(withPing(methods.connection(), Jedis::ping));
            DefaultJedisClientConfig config = config().build();
            return first -> {
                try (Jedis connection = new Jedis(address, config)) {
                    return calls.send(connection, first);
                }
            };
        }

        /**
         * The library checks the server before it caches. Without the protocol by its name, it would open a first
         * connection to find it out and, if that fails, say that RESP3 is missing.
         */
        @Override
        public Unit cache(Commands<W> commands, int entries) {
            cache = CacheFactory.getCache(CacheConfig.builder().maxSize(entries).build());
            try {
                UnifiedJedis client = own(builder()
                        .clientConfig(config().resp3().build())
                        .cache(cache)
                        .build());
                return command(opened(client, 1), commands);
            } catch (JedisException error) {
                throw JedisCaches.refused(error);
            }
        }

        @Override
        public CacheCounts cacheCounts() {
            return JedisCaches.counts(cache);
        }

        /** On several nodes of a cluster a batch is sent by threads: as installed, each batch makes and ends its own. */
        @Override
        public Unit batch(UnifiedJedis client, Commands<W> commands, int depth) {
            return batch(
                    trial.is("pipeline-threads", "shared") ? shared((RedisClusterClient) client) : client::pipelined,
                    commands.with(withAny(methods.pipeline(), AbstractPipeline::sendCommand)),
                    depth,
                    AbstractPipeline::sync);
        }

        private Supplier<AbstractPipeline> shared(RedisClusterClient client) {
            ExecutorService shared =
                    Executors.newFixedThreadPool(MultiNodePipelineBase.MULTI_NODE_PIPELINE_SYNC_WORKERS);
            threads = shared;
            return () -> client.pipelined(shared);
        }

        @Override
        public void close() throws Exception {
            if (threads != null) {
                threads.shutdown();
            }
            super.close();
        }

        /**
         * Form `batched`: MULTI and the commands are flushed, then, once each is QUEUED, EXEC. What does not fit into the
         * library's buffer of 8 KiB is written before. Form `queued`: each is a round trip.
         */
        @Override
        public Unit transaction(UnifiedJedis client, Commands<W> commands, int depth, String form) {
            Pool<Connection> pool =
                    form.equals("queued") ? pools(client).iterator().next() : null;
            Supplier<AbstractTransaction> multi =
                    pool == null ? client::multi : () -> new ReliableTransaction(pool.getResource(), true, true);
            return transaction(
                    multi,
                    commands.with(withAny(methods.transaction(), AbstractTransaction::sendCommand)),
                    depth,
                    AbstractTransaction::exec);
        }
    }
}
