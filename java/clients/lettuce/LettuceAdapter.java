import com.github.benmanes.caffeine.cache.Caffeine;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.support.ConnectionPoolSupport;
import io.lettuce.core.support.caching.CacheFrontend;
import io.lettuce.core.support.caching.ClientSideCaching;
import io.netty.util.concurrent.EventExecutor;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import respmark.Calls;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Unsupported;
import respmark.Walker;
import respmark.Words;

/** Lettuce: one connection carries everything, asynchronously; its synchronous API waits for the same futures. */
public final class LettuceAdapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        chooseTransport(trial);
        return trial.is("decode", "text")
                ? new LettuceClient<>(trial, Words.TEXT, StringCodec.UTF8)
                : new LettuceClient<>(trial, Words.BYTES, ByteArrayCodec.INSTANCE);
    }

    /** Lettuce uses the best transport on the class path; as installed, with no native one, NIO. */
    private static void chooseTransport(Trial trial) {
        boolean isNative = trial.is("transport", "epoll");
        System.setProperty("io.lettuce.core.epoll", String.valueOf(isNative));
        System.setProperty("io.lettuce.core.iouring", "false");
        if (isNative && !EpollProvider.isAvailable()) {
            throw new Unsupported("the native transport epoll is not available here: use transport=nio");
        }
        if (!isNative && trial.target().unixSocket() != null) {
            throw new Unsupported("Lettuce reaches unix sockets only through its native transport: use transport=epoll");
        }
    }

    private static final class LettuceClient<W> implements Client<StatefulRedisConnection<W, W>, W> {
        private static final Duration CLOSING = Duration.ofSeconds(2);
        private static final Set<String> SEVERAL = Set.of("pipelining", "batching", "transaction");

        private final Trial trial;
        private final Words<W> words;
        private final RedisCodec<W, W> codec;
        private final RedisClient client;
        private final boolean isReactive;
        private LettuceAdapterCache<W> cache;

        LettuceClient(Trial trial, Words<W> words, RedisCodec<W, W> codec) {
            this.trial = trial;
            this.words = words;
            this.codec = codec;
            isReactive = trial.is("api", "reactive");
            client = RedisClient.create(uri(trial.target()));
            client.setOptions(options(trial));
        }

        private static RedisURI uri(Trial.Target target) {
            RedisURI.Builder builder = target.unixSocket() == null
                    ? RedisURI.builder().withHost(target.host()).withPort(target.port())
                    : RedisURI.Builder.socket(target.unixSocket());
            builder.withDatabase(target.database());
            if (target.username() != null && target.password() != null) {
                builder.withAuthentication(target.username(), target.password());
            } else if (target.password() != null) {
                builder.withPassword(target.password().toCharArray());
            }
            if (target.tls() != null) {
                builder.withSsl(true).withVerifyPeer(target.tls().verify());
            }
            return builder.build();
        }

        /** As installed, except where the options say otherwise. */
        private static ClientOptions options(Trial trial) {
            ClientOptions.Builder builder = ClientOptions.builder();
            if (trial.is("protocol", 2)) {
                builder.protocolVersion(ProtocolVersion.RESP2);
            }
            if (trial.is("command-timeout", "off")) {
                builder.timeoutOptions(
                        TimeoutOptions.builder().timeoutCommands(false).build());
            }
            if (trial.target().tls() != null) {
                builder.sslOptions(ssl(trial.target().tls()));
            }
            return builder.build();
        }

        private static SslOptions ssl(Trial.Tls tls) {
            SslOptions.Builder builder = SslOptions.builder().jdkSslProvider();
            if (tls.caFile() != null) {
                builder.trustManager(new File(tls.caFile()));
            }
            if (tls.certificateFile() != null) {
                String keyFile = tls.keyFile() == null ? tls.certificateFile() : tls.keyFile();
                builder.keyManager(new File(tls.certificateFile()), new File(keyFile), new char[0]);
            }
            return builder.build();
        }

        @Override
        public Map<String, String> versions() {
            return Map.of(
                    "lettuce", Library.version(RedisClient.class),
                    "netty", Library.version(EventExecutor.class),
                    "commons-pool2", Library.version(GenericObjectPool.class),
                    "caffeine", Library.version(Caffeine.class));
        }

        @Override
        public Map<String, Object> settings() {
            return Map.of(
                    "io_threads", client.getResources().ioThreadPoolSize(),
                    "computation_threads", client.getResources().computationThreadPoolSize());
        }

        @Override
        public Words<W> words() {
            return words;
        }

        /** Threads share one connection. */
        @Override
        public StatefulRedisConnection<W, W> connect(int threads) {
            return client.connect(codec);
        }

        @Override
        public void close(StatefulRedisConnection<W, W> connection) {
            connection.close();
        }

        @Override
        public Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> commands() {
            if (!isAsync()) {
                return LettuceAdapterCommands.sync();
            }
            return isReactive ? LettuceAdapterCommands.reactive() : LettuceAdapterCommands.async();
        }

        /** Where several commands are under way, the synchronous API is no help, and its users take async(). */
        @Override
        public boolean isAsync() {
            return !trial.is("api", "sync") || SEVERAL.contains(trial.scenario());
        }

        @Override
        public Unit burst(StatefulRedisConnection<W, W> connection, Commands<W> commands, int depth) {
            return unit(connection, commands, depth, true);
        }

        @Override
        public Unit batch(StatefulRedisConnection<W, W> connection, Commands<W> commands, int depth) {
            connection.setAutoFlushCommands(false);
            return unit(connection, commands, depth, false);
        }

        private Unit unit(StatefulRedisConnection<W, W> on, Commands<W> commands, int depth, boolean isFlushed) {
            Calls<StatefulRedisConnection<W, W>, W> calls = commands.with(commands());
            return isReactive
                    ? new LettuceAdapterFlow<>(on, calls, depth, isFlushed)
                    : new LettuceAdapterBurst<>(on, calls, depth, isFlushed);
        }

        @Override
        public Walker window(
                StatefulRedisConnection<W, W> connection, Commands<W> commands, int depth, Walker.Place place) {
            return isReactive
                    ? new LettuceAdapterFlow<>(connection, commands.with(commands()), depth, true).window(place)
                    : Client.super.window(connection, commands, depth, place);
        }

        /** MULTI, the commands and EXEC, without waiting in between. */
        @Override
        public Unit transaction(StatefulRedisConnection<W, W> on, Commands<W> commands, int depth, String form) {
            boolean isFlushed = trial.is("transaction-flush", "auto");
            on.setAutoFlushCommands(isFlushed);
            LettuceAdapterBurst<W> burst = new LettuceAdapterBurst<>(on, commands.with(commands()), depth, isFlushed);
            return isReactive
                    ? burst.within(() -> on.reactive().multi(), () -> on.reactive().exec())
                    : burst.within(() -> on.async().multi(), () -> on.async().exec());
        }

        /** Closing a wrapped connection gives it back. */
        @Override
        public Unit pool(Commands<W> commands, int threads, int maxTotal, int maxIdle) throws Exception {
            GenericObjectPoolConfig<StatefulRedisConnection<W, W>> config = new GenericObjectPoolConfig<>();
            config.setMaxTotal(maxTotal);
            config.setMaxIdle(maxIdle);
            config.setMaxWait(POOL_WAIT);
            boolean isWrapping = trial.is("wrapping", "on");
            GenericObjectPool<StatefulRedisConnection<W, W>> pool =
                    ConnectionPoolSupport.createGenericObjectPool(() -> connect(1), config, isWrapping);
            List<StatefulRedisConnection<W, W>> opened = new ArrayList<>();
            for (int i = 0; i < Math.min(threads, maxTotal); i++) {
                opened.add(pool.borrowObject());
            }
            opened.forEach(pool::returnObject);
            Calls<StatefulRedisConnection<W, W>, W> calls = commands.with(commands());
            return first -> {
                StatefulRedisConnection<W, W> connection = pool.borrowObject();
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
            StatefulRedisConnection<W, W> connection = connect(1);
            cache = new LettuceAdapterCache<>(entries);
            CacheFrontend<W, W> frontend = ClientSideCaching.enable(cache, connection, TrackingArgs.Builder.enabled());
            Map<String, Calls.Method<StatefulRedisConnection<W, W>, W>> methods = commands();
            methods.put("GET", (redis, w, i) -> frontend.get(w.key(i)));
            Calls<StatefulRedisConnection<W, W>, W> calls = commands.with(methods);
            return first -> calls.send(connection, first);
        }

        @Override
        public CacheCounts cacheCounts() {
            return cache == null ? null : cache.counts();
        }

        /** MGET returns each value with its key. */
        @Override
        public Object plain(Object reply) {
            if (reply instanceof CompletableFuture<?> future) {
                return future.join();
            }
            return reply instanceof KeyValue<?, ?> pair ? pair.getValueOrElse(null) : reply;
        }

        @Override
        public void close() {
            client.shutdown(Duration.ZERO, CLOSING);
        }
    }
}
