import java.io.Closeable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Pem;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/** What all versions of Jedis have in common. */
abstract class JedisBase<C extends AutoCloseable, W> implements Client<C, W> {
    private static final long NO_LIMIT = -1;

    final Trial trial;
    final HostAndPort address;
    private final Words<W> words;
    /** What is open beside what `connect` returns. */
    private C own;

    JedisBase(Trial trial, Words<W> words) {
        if (trial.server().unixSocket() != null) {
            throw new UnsupportedOperationException("Jedis opens no unix sockets by itself: name host and port");
        }
        this.trial = trial;
        this.words = words;
        address = new HostAndPort(trial.server().host(), trial.server().port());
    }

    @SuppressWarnings("deprecation") // what replaces sslSocketFactory takes key stores, not PEM files
    DefaultJedisClientConfig.Builder config() {
        Trial.Server server = trial.server();
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .user(server.username())
                .password(server.password())
                .database(server.database());
        if (trial.isLimited()) {
            int limitMillis = (int) LIMIT.toMillis();
            config.connectionTimeoutMillis(limitMillis).socketTimeoutMillis(limitMillis);
        }
        if (server.tls() != null) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm(server.tls().verify() ? "HTTPS" : null);
            config.ssl(true)
                    .sslParameters(parameters)
                    .sslSocketFactory(Pem.context(server.tls()).getSocketFactory());
        }
        return config;
    }

    @Override
    public Map<String, String> versions() {
        return Map.of("jedis", Library.version(Jedis.class), "commons-pool2", Library.version(GenericObjectPool.class));
    }

    @Override
    public Words<W> words() {
        return words;
    }

    /** A new `Jedis` negotiates nothing, whatever a client with a pool does. */
    @Override
    public Map<String, Object> settings() {
        return isNew() && trial.server().isOne() ? Map.of("protocol", 2) : Map.of();
    }

    private boolean isNew() {
        return trial.scenario().equals("new-connection");
    }

    /**
     * As installed; a pool of 8 connections grows only if more threads share it, and they are not to wait for it. A new
     * client of a cluster has asked a node, or one behind sentinels a sentinel, and connects to others as it needs them.
     */
    @Override
    public C connect(int threads) {
        int installed = GenericObjectPoolConfig.DEFAULT_MAX_TOTAL;
        int size = trial.hasLimits() ? installed : Math.max(threads, installed);
        int open = isNew() && !trial.server().isOne() ? 0 : Math.min(threads, size);
        return pooled(size, size, trial.isLimited() ? LIMIT.toMillis() : NO_LIMIT, open);
    }

    @Override
    public Unit pool(Commands<W> commands, int threads, int maxTotal, int maxIdle) {
        return command(own(pooled(maxTotal, maxIdle, POOL_WAIT.toMillis(), Math.min(threads, maxTotal))), commands);
    }

    /** The methods with PING, which none of the library's interfaces has. */
    static <R, W> Map<String, Commands.Method<R, W>> withPing(
            Map<String, Commands.Method<R, W>> methods, Function<R, Object> ping) {
        Map<String, Commands.Method<R, W>> commands = new HashMap<>(methods);
        commands.put("PING", (redis, w, i) -> ping.apply(redis));
        return commands;
    }

    /** Keeps this client until the trial ends. */
    final C own(C client) {
        own = client;
        return client;
    }

    @Override
    public void close() throws Exception {
        if (own != null) {
            own.close();
        }
    }

    /** A client with such a pool, or one for each node of a cluster, of which this many connections are open. */
    abstract C pooled(int maxTotal, int maxIdle, long maxWaitMillis, int connections);

    @SuppressWarnings("deprecation") // what replaces setMaxWaitMillis is newer than Jedis 3
    final <P extends GenericObjectPoolConfig<?>> P sized(P pool, int maxTotal, int maxIdle, long maxWaitMillis) {
        pool.setMaxTotal(maxTotal);
        pool.setMaxIdle(maxIdle);
        pool.setMaxWaitMillis(maxWaitMillis);
        pool.setTestOnBorrow(trial.is("test-on-borrow", true));
        pool.setTestOnReturn(trial.is("test-on-return", true));
        return pool;
    }

    /** Commands are buffered, `sync` sends them and reads all replies, `get` decodes each. */
    static <P extends Closeable> Unit batch(
            Supplier<? extends P> pipelined, Commands.Calls<? super P> calls, int depth, Consumer<P> sync) {
        return first -> {
            try (P pipeline = pipelined.get()) {
                return synced(pipeline, calls, first, depth, sync);
            }
        };
    }

    static <P> Object[] synced(P pipeline, Commands.Calls<? super P> calls, int first, int depth, Consumer<P> sync) {
        Object[] replies = new Object[depth];
        for (int i = 0; i < depth; i++) {
            replies[i] = calls.send(pipeline, first + i);
        }
        sync.accept(pipeline);
        for (int i = 0; i < depth; i++) {
            replies[i] = ((Response<?>) replies[i]).get();
        }
        return replies;
    }

    static <T extends Closeable> Unit transaction(
            Supplier<? extends T> multi, Commands.Calls<? super T> calls, int depth, Function<T, List<Object>> exec) {
        return first -> {
            try (T transaction = multi.get()) {
                return executed(transaction, calls, first, depth, exec);
            }
        };
    }

    static <T> Object[] executed(
            T transaction, Commands.Calls<? super T> calls, int first, int depth, Function<T, List<Object>> exec) {
        for (int i = first; i < first + depth; i++) {
            calls.send(transaction, i);
        }
        return exec.apply(transaction).toArray();
    }
}
