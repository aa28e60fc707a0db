package respmark.clients.jedis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import respmark.clients.Causes;
import respmark.clients.Lane;
import respmark.clients.Options;
import respmark.clients.Pem;
import respmark.clients.Session;
import respmark.clients.Unit;
import respmark.clients.jedis.JedisClient.PoolConfig;
import respmark.contract.Event.LocalCache;
import respmark.contract.Limits;
import respmark.contract.Trial;
import respmark.contract.Trial.Endpoint;
import respmark.contract.Trial.Shape;
import respmark.errors.Unsupported;
import respmark.workload.Workload;

/**
 * One trial's clients and its unit of work.
 *
 * <p>Every scenario but `new-connection` goes through {@link JedisClient}, which holds what differs
 * between versions; the types that it returns differ, too.
 */
final class JedisSession implements Session {
    private static final String CACHES_FOR = "Client side caching is only supported with";

    private final HostAndPort address;
    private final DefaultJedisClientConfig config;
    private final Options options;
    private final Object protocol;
    private final List<JedisClient> clients = new ArrayList<>();
    private final Map<String, Object> settings = new LinkedHashMap<>();
    private final Trial trial;
    private JedisCalls calls;

    JedisSession(Trial trial) {
        this.trial = trial;
        options = Options.of(trial, JedisLibrary.options());
        protocol = options.get(Options.PROTOCOL);
        address = new HostAndPort(trial.target().host(), trial.target().port());
        config = config(trial.target());
    }

    @Override
    public void materialise(Workload workload) {
        int depth = trial.shape().depth() == null ? 0 : trial.shape().depth();
        calls = JedisCalls.of(workload, options.is(Options.DECODE, "text"), depth);
        if (depth > 0) {
            calls.checkQueueable();
        }
    }

    @Override
    public List<Lane> connect() {
        Shape shape = trial.shape();
        return switch (trial.scenario()) {
            case SYNC -> List.of(new Lane(command(single())));
            case BATCHING -> List.of(new Lane(new Batch(single(), shape.depth())));
            case TRANSACTION -> List.of(new Lane(transaction(single(), shape)));
            case THREADS -> threads(shape);
            case POOL -> pool(shape);
            case NEW_CONNECTION -> List.of(new Lane(newConnection()));
            case CACHING -> List.of(new Lane(command(caching(shape.cacheEntries()))));
            case PIPELINING -> throw new IllegalStateException("objection() lets no pipelining through");
        };
    }

    @SuppressWarnings("deprecation") // the replacement for these three takes key stores, not PEM files
    private DefaultJedisClientConfig config(Endpoint target) {
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .user(target.username())
                .password(target.password())
                .database(target.database());
        JedisClient.speak(builder, protocol);
        if (target.tls() != null) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm(target.tls().verify() ? "HTTPS" : null);
            builder.ssl(true)
                    .sslSocketFactory(Pem.context(target.tls()).getSocketFactory())
                    .sslParameters(parameters);
        }
        return builder.build();
    }

    private JedisClient single() {
        return noted(JedisClient.single(address, config));
    }

    /** A client with the library's cache; the library checks the server before it caches. */
    private JedisClient caching(int entries) {
        settings.put("cache_entries", entries);
        try {
            return noted(JedisClient.caching(address, config, entries));
        } catch (JedisException error) {
            if (Causes.any(error, cause -> String.valueOf(cause.getMessage()).startsWith(CACHES_FOR))) {
                throw new Unsupported("this server is none that Jedis caches for: " + error.getMessage());
            }
            throw error;
        }
    }

    @Override
    public LocalCache localCache() {
        return clients.isEmpty() ? null : clients.get(0).localCache();
    }

    private JedisClient noted(JedisClient client) {
        clients.add(client);
        settings.putAll(client.settings());
        return client;
    }

    /** A client as installed; its pool of 8 connections grows only if more threads share it. */
    private JedisClient shared(int threads) {
        PoolConfig pool = new PoolConfig();
        if (threads > pool.getMaxTotal()) {
            pool.setMaxTotal(threads);
            pool.setMaxIdle(threads);
        }
        return noted(JedisClient.shared(address, config, pool, threads));
    }

    /** Threads share clients; thread i has client i mod n. */
    private List<Lane> threads(Shape shape) {
        int count = Math.min(shape.connections(), shape.threads());
        List<Unit> units = IntStream.range(0, count)
                .mapToObj(i -> shared((shape.threads() - i + count - 1) / count))
                .map(this::command)
                .toList();
        return IntStream.range(0, shape.threads())
                .mapToObj(i -> new Lane(units.get(i % count)))
                .toList();
    }

    @SuppressWarnings("deprecation") // setMaxWaitMillis's replacement is newer than the commons-pool2 of Jedis 3
    private List<Lane> pool(Shape shape) {
        PoolConfig pool = new PoolConfig();
        pool.setMaxTotal(shape.maxTotal());
        pool.setMaxIdle(shape.maxIdle() == null ? shape.maxTotal() : shape.maxIdle());
        pool.setMaxWaitMillis(Limits.POOL_WAIT.toMillis());
        settings.put("max_wait_ms", Limits.POOL_WAIT.toMillis());
        int connections = Math.min(shape.threads(), shape.maxTotal());
        Unit unit = command(noted(JedisClient.shared(address, config, pool, connections)));
        return Collections.nCopies(shape.threads(), new Lane(unit));
    }

    private Unit command(JedisClient client) {
        return new Single() {
            @Override
            public Object perform(int first) {
                return client.send(calls, first);
            }
        };
    }

    /** Keeps no connection; opens and closes one now, so a missing target is noticed here. */
    private Unit newConnection() {
        DefaultJedisClientConfig unpooled = JedisClient.unpooled(config, protocol);
        new Jedis(address, unpooled).close();
        return new Single() {
            @Override
            public Object perform(int first) {
                try (Jedis connection = new Jedis(address, unpooled)) {
                    return calls.send(connection, first);
                }
            }
        };
    }

    private Unit transaction(JedisClient client, Shape shape) {
        boolean isBatched = "batched".equals(shape.form());
        return new Block() {
            @Override
            public Object perform(int first) {
                try (var transaction = client.multi(isBatched)) {
                    for (int i = first; i < first + shape.depth(); i++) {
                        calls.queue(transaction, i);
                    }
                    return checked(transaction.exec());
                }
            }
        };
    }

    /** EXEC returns errors among the replies. */
    private static List<Object> checked(List<Object> replies) {
        if (replies == null) {
            throw new JedisException("the transaction was not carried out");
        }
        for (Object reply : replies) {
            if (reply instanceof JedisDataException error) {
                throw error;
            }
        }
        return replies;
    }

    @Override
    public Map<String, Object> settings() {
        return settings;
    }

    @Override
    public void close() {
        clients.forEach(JedisClient::close);
    }

    /** A unit of one command. */
    private interface Single extends Unit {
        @Override
        default List<?> replies(Object outcome) {
            return Collections.singletonList(outcome);
        }
    }

    /** A unit that returns its replies as a list. */
    private interface Block extends Unit {
        @Override
        default List<?> replies(Object outcome) {
            return (List<?>) outcome;
        }
    }

    /** A pipeline: commands are buffered, `sync` sends them and reads all replies, `get` decodes each. */
    private final class Batch implements Unit {
        private final JedisClient client;
        private final Response<?>[] responses;

        Batch(JedisClient client, int depth) {
            this.client = client;
            this.responses = new Response<?>[depth];
        }

        @Override
        public Object perform(int first) {
            try (var pipeline = client.pipelined()) {
                for (int i = 0; i < responses.length; i++) {
                    responses[i] = calls.queue(pipeline, first + i);
                }
                pipeline.sync();
            }
            for (Response<?> response : responses) {
                response.get();
            }
            return responses;
        }

        @Override
        public List<?> replies(Object outcome) {
            return Arrays.stream(responses)
                    .map(response -> (Object) response.get())
                    .collect(Collectors.toList());
        }
    }
}
