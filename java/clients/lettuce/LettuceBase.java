import com.github.benmanes.caffeine.cache.Caffeine;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.KeyValueOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.support.ConnectionPoolSupport;
import io.lettuce.core.support.caching.CacheFrontend;
import io.lettuce.core.support.caching.ClientSideCaching;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import reactor.core.publisher.Mono;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Walker;
import respmark.Words;

/**
 * Lettuce: one connection carries everything, or one to each node of a cluster, asynchronously; its synchronous API waits
 * for the same futures.
 */
abstract class LettuceBase implements Library {
    /** Where several commands are under way, the synchronous API is no help, and its users take async(). */
    private static final Set<String> SEVERAL = Set.of("pipelining", "batching", "transaction");

    @Override
    public Client<?, ?> load(Trial trial) {
        chooseTransport(trial);
        return trial.is("decode", "text")
                ? loaded(trial, Words.TEXT, StringCodec.UTF8)
                : loaded(trial, Words.BYTES, ByteArrayCodec.INSTANCE);
    }

    private <W> LettuceClient<W> loaded(Trial trial, Words<W> words, RedisCodec<W, W> codec) {
        int entries = trial.shape().cacheEntries();
        LettuceCache<W> cache = entries == 0 ? null : new LettuceCache<>(entries);
        return new LettuceClient<>(trial, this, client(trial), words, codec, cache);
    }

    private AbstractRedisClient client(Trial trial) {
        RedisURI uri = LettuceAddress.of(trial);
        if (trial.server().cluster()) {
            return withOptions(RedisClusterClient.create(uri), clusterOptions(trial));
        }
        RedisClient client = RedisClient.create(uri);
        client.setOptions(options(trial, ClientOptions.builder()));
        return client;
    }

    private ClusterClientOptions clusterOptions(Trial trial) {
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
        if (trial.is("topology-refresh", "5s")) {
            builder.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(Duration.ofSeconds(5))
                    .build());
        }
        return (ClusterClientOptions) options(trial, builder);
    }

    private static RedisClusterClient withOptions(RedisClusterClient client, ClusterClientOptions options) {
        client.setOptions(options);
        return client;
    }

    /** Lettuce uses the best transport on the class path; as installed, with no native one, NIO. */
    private static void chooseTransport(Trial trial) {
        boolean isNative = trial.is("transport", "epoll") || trial.isStrict();
        System.setProperty("io.lettuce.core.epoll", String.valueOf(isNative));
        System.setProperty("io.lettuce.core.iouring", "false");
        if (isNative && !EpollProvider.isAvailable()) {
            throw new UnsupportedOperationException("the native transport is not available here: use transport=nio");
        }
        if (!isNative && trial.server().unixSocket() != null) {
            throw new UnsupportedOperationException("Lettuce reaches a unix socket with transport=epoll only");
        }
    }

    /** As installed, except where the options say otherwise. */
    private ClientOptions options(Trial trial, ClientOptions.Builder builder) {
        if (trial.is("protocol", 2)) {
            builder.protocolVersion(ProtocolVersion.RESP2);
        }
        if (trial.is("command-timeout", "off")) {
            builder.timeoutOptions(
                    TimeoutOptions.builder().timeoutCommands(false).build());
        }
        if (trial.isLimited()) {
            SocketOptions.Builder sockets = SocketOptions.builder().connectTimeout(Client.LIMIT);
            if (trial.isStrict()) {
                keepLimits(builder, sockets);
            }
            builder.socketOptions(sockets.build());
        }
        return trial.server().tls() == null
                ? builder.build()
                : builder.sslOptions(LettuceAddress.ssl(trial.server().tls())).build();
    }

    /** Sets what it takes to keep {@link Client#LIMIT}. */
    abstract void keepLimits(ClientOptions.Builder options, SocketOptions.Builder sockets);

    private record LettuceClient<W>(
            Trial trial,
            LettuceBase library,
            AbstractRedisClient client,
            Words<W> words,
            RedisCodec<W, W> codec,
            LettuceCache<W> cache)
            implements Client<StatefulConnection<W, W>, W> {

        @Override
        public Map<String, String> versions() {
            return Map.of(
                    "lettuce", Library.version(RedisClient.class),
                    "netty", Library.version(EventExecutor.class),
                    "commons-pool2", Library.version(GenericObjectPool.class),
                    "caffeine", Library.version(Caffeine.class));
        }

        /** Threads share one connection, or one to each primary of a cluster. */
        @Override
        public StatefulConnection<W, W> connect(int threads) {
            if (client instanceof RedisClusterClient cluster) {
                StatefulRedisClusterConnection<W, W> connection = connect(cluster);
                for (RedisClusterNode node : connection.getPartitions()) {
                    if (!node.getSlots().isEmpty()) {
                        connection.getConnection(
                                node.getUri().getHost(), node.getUri().getPort());
                    }
                }
                return connection;
            }
            return ((RedisClient) client).connect(codec);
        }

        private StatefulRedisClusterConnection<W, W> connect(RedisClusterClient cluster) {
            StatefulRedisClusterConnection<W, W> connection = cluster.connect(codec);
            if (!trial.is("reads", "primary")) {
                connection.setReadFrom(trial.is("reads", "replica") ? ReadFrom.REPLICA_PREFERRED : ReadFrom.ANY);
            }
            return connection;
        }

        /** Of a cluster, a whole client, which asks for its nodes; it has the threads of the one that stays. */
        @Override
        public Unit newConnection(Commands<W> commands) {
            if (!trial.server().cluster()) {
                return Client.super.newConnection(commands);
            }
            Commands.Calls<StatefulConnection<W, W>> calls = commands.with(commands());
            RedisURI uri = LettuceAddress.of(trial);
            ClusterClientOptions options = library.clusterOptions(trial);
            return first -> {
                RedisClusterClient cluster =
                        withOptions(RedisClusterClient.create(client.getResources(), uri), options);
                try (StatefulRedisClusterConnection<W, W> connection = connect(cluster)) {
                    return calls.send(connection, first);
                } finally {
                    cluster.shutdown();
                }
            };
        }

        @Override
        public boolean isAsync() {
            return !trial.is("api", "sync") || SEVERAL.contains(trial.scenario());
        }

        private boolean isReactive() {
            return trial.is("api", "reactive");
        }

        @Override
        public Map<String, Commands.Method<StatefulConnection<W, W>, W>> commands() {
            if (isReactive()) {
                return LettuceAdapterCommands.reactive(
                        trial.server().cluster()
                                ? on -> ofCluster(on).reactive()
                                : on -> ofServer(on).reactive());
            }
            Map<String, Commands.Method<StatefulConnection<W, W>, W>> commands =
                    isAsync() ? LettuceAdapterCommands.async(async()) : LettuceAdapterCommands.sync(sync());
            commands.put(Commands.ANY, any());
            return commands;
        }

        private Function<StatefulConnection<W, W>, RedisClusterCommands<W, W>> sync() {
            return trial.server().cluster()
                    ? on -> ofCluster(on).sync()
                    : on -> ofServer(on).sync();
        }

        private Function<StatefulConnection<W, W>, RedisClusterAsyncCommands<W, W>> async() {
            return trial.server().cluster()
                    ? on -> ofCluster(on).async()
                    : on -> ofServer(on).async();
        }

        private static <W> StatefulRedisConnection<W, W> ofServer(StatefulConnection<W, W> connection) {
            return (StatefulRedisConnection<W, W>) connection;
        }

        private static <W> StatefulRedisClusterConnection<W, W> ofCluster(StatefulConnection<W, W> connection) {
            return (StatefulRedisClusterConnection<W, W>) connection;
        }

        /** What dispatch asks of its users: the command's type, how its reply is decoded, and its words. */
        @SuppressWarnings("FutureReturnValueIgnored") // the future is returned
        private Commands.AnyMethod<StatefulConnection<W, W>, W> any() {
            Function<StatefulConnection<W, W>, RedisClusterCommands<W, W>> sync = sync();
            Function<StatefulConnection<W, W>, RedisClusterAsyncCommands<W, W>> async = async();
            return name -> {
                CommandType type = CommandType.valueOf(name);
                Supplier<CommandOutput<W, W, ?>> output = output(name);
                return isAsync()
                        ? (on, w, i) -> async.apply(on).dispatch(type, output.get(), arguments(w, i))
                        : (on, w, i) -> sync.apply(on).dispatch(type, output.get(), arguments(w, i));
            };
        }

        private Supplier<CommandOutput<W, W, ?>> output(String name) {
            return switch (name) {
                case "SELECT", "AUTH", "LSET" -> () -> new StatusOutput<>(codec);
                case "STRLEN", "EXISTS", "HSET", "RPUSH" -> () -> new IntegerOutput<>(codec);
                case "ECHO", "LINDEX", "LPOP", "RPOP", "SPOP" -> () -> new ValueOutput<>(codec);
                case "BLPOP" -> () -> new KeyValueOutput<>(codec);
                default -> () -> new NestedMultiOutput<>(codec); // lists, in lists perhaps
            };
        }

        /** A codec writes keys and values alike; by its key, the node of a cluster is found. */
        private CommandArgs<W, W> arguments(Commands<W> commands, int i) {
            CommandArgs<W, W> arguments = new CommandArgs<>(codec);
            W[] words = commands.words(i);
            int key = commands.keyAmongWords(i);
            for (int word = 0; word < words.length; word++) {
                if (word == key) {
                    arguments.addKey(words[word]);
                } else {
                    arguments.addValue(words[word]);
                }
            }
            return arguments;
        }

        /** The future's get(), or the Mono's block(). With limits of the library's own, they wait until these end it. */
        @Override
        public Unit command(StatefulConnection<W, W> on, Commands<W> commands) {
            Commands.Calls<StatefulConnection<W, W>> calls = commands.with(commands());
            Duration timeout = trial.hasLimits() ? Duration.ofNanos(Long.MAX_VALUE) : LettuceAddress.TIMEOUT;
            if (isReactive()) {
                return first -> ((Mono<?>) calls.send(on, first)).block(timeout);
            }
            return isAsync()
                    ? first -> ((RedisFuture<?>) calls.send(on, first)).get(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    : first -> calls.send(on, first);
        }

        private IntFunction<Object> send(StatefulConnection<W, W> on, Commands<W> commands) {
            Commands.Calls<StatefulConnection<W, W>> calls = commands.with(commands());
            return i -> calls.send(on, i);
        }

        @Override
        public Unit burst(StatefulConnection<W, W> on, Commands<W> commands, int depth) {
            return isReactive()
                    ? new LettuceAdapterFlow(on, send(on, commands), true, depth)
                    : new LettuceAdapterBurst(on, send(on, commands), true, depth);
        }

        @Override
        public Unit batch(StatefulConnection<W, W> on, Commands<W> commands, int depth) {
            on.setAutoFlushCommands(false);
            return isReactive()
                    ? new LettuceAdapterFlow(on, send(on, commands), false, depth)
                    : new LettuceAdapterBurst(on, send(on, commands), false, depth);
        }

        @Override
        public Walker window(StatefulConnection<W, W> on, Commands<W> commands, int depth, Walker.Place place) {
            return isReactive()
                    ? new LettuceAdapterFlow(on, send(on, commands), true, depth)
                    .new Window(place, command(on, commands))
                    : Client.super.window(on, commands, depth, place);
        }

        /** MULTI, the commands and EXEC, without waiting in between. */
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the suppliers return it
        public Unit transaction(StatefulConnection<W, W> on, Commands<W> commands, int depth, String form) {
            boolean isFlushed = trial.is("transaction-flush", "auto");
            on.setAutoFlushCommands(isFlushed);
            return isReactive()
                    ? new LettuceAdapterFlow(on, send(on, commands), isFlushed, depth)
                            .within(ofServer(on).reactive())
                    : new LettuceAdapterBurst(on, send(on, commands), isFlushed, depth)
                            .within(ofServer(on).async()::multi, ofServer(on).async()::exec);
        }

        /** Closing a wrapped connection gives it back. */
        @Override
        public Unit pool(Commands<W> commands, int threads, int maxTotal, int maxIdle) throws Exception {
            GenericObjectPoolConfig<StatefulConnection<W, W>> config = new GenericObjectPoolConfig<>();
            config.setMaxTotal(maxTotal);
            config.setMaxIdle(maxIdle);
            config.setMaxWait(POOL_WAIT);
            boolean isWrapping = trial.is("wrapping", "on");
            GenericObjectPool<StatefulConnection<W, W>> pool =
                    ConnectionPoolSupport.createGenericObjectPool(() -> connect(1), config, isWrapping);
            pool.addObjects(Math.min(threads, maxTotal));
            Commands.Calls<StatefulConnection<W, W>> calls = commands.with(commands());
            return first -> {
                StatefulConnection<W, W> connection = pool.borrowObject();
                try {
                    return calls.send(connection, first);
                } finally {
                    if (isWrapping) {
                        connection.close();
                    } else {
                        pool.returnObject(connection);
                    }
                }
            };
        }

        /** GETs go through the library's cache frontend, everything else straight to its connection. */
        @Override
        public Unit cache(Commands<W> commands, int entries) {
            StatefulConnection<W, W> on = connect(1);
            CacheFrontend<W, W> frontend =
                    ClientSideCaching.enable(cache, ofServer(on), TrackingArgs.Builder.enabled());
            Map<String, Commands.Method<StatefulConnection<W, W>, W>> methods = commands();
            methods.put("GET", (redis, w, i) -> frontend.get(w.key(i)));
            Commands.Calls<StatefulConnection<W, W>> calls = commands.with(methods);
            return first -> calls.send(on, first);
        }

        @Override
        public CacheCounts cacheCounts() {
            return cache == null ? null : cache.counts();
        }

        /** Its connections are closed, and its threads end. */
        @Override
        public void close() {
            client.shutdown();
        }

        /** MGET returns each value with its key. */
        @Override
        public Object plain(Object reply, Commands<W> commands, int i) {
            Object value = reply instanceof CompletableFuture<?> future ? future.join() : reply;
            return value instanceof KeyValue<?, ?> pair ? pair.getValueOrElse(null) : value;
        }
    }
}
