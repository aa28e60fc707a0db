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
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import respmark.clients.Lane;
import respmark.clients.Options;
import respmark.clients.Pem;
import respmark.clients.Session;
import respmark.clients.Unit;
import respmark.contract.Limits;
import respmark.contract.Trial;
import respmark.contract.Trial.Endpoint;
import respmark.contract.Trial.Shape;
import respmark.workload.Workload;

/**
 * One trial's clients and its unit of work.
 *
 * <p>Every scenario but `new-connection` goes through {@link RedisClient}, the pooled client that the documentation
 * recommends; a pool of connections from commons-pool2 is inside it.
 */
final class JedisSession implements Session {
    private final HostAndPort address;
    private final DefaultJedisClientConfig config;
    private final Options options;
    private final List<RedisClient> clients = new ArrayList<>();
    private final Map<String, Object> settings = new LinkedHashMap<>();
    private final Trial trial;
    private JedisCalls calls;

    JedisSession(Trial trial) {
        this.trial = trial;
        options = Options.of(trial, Options.common());
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
            case SYNC -> List.of(new Lane(command(client(1))));
            case BATCHING -> List.of(new Lane(new Batch(client(1), shape.depth())));
            case TRANSACTION -> List.of(new Lane(transaction(client(1), shape)));
            case THREADS -> threads(shape);
            case POOL -> pool(shape);
            case NEW_CONNECTION -> List.of(new Lane(newConnection()));
            case PIPELINING -> throw new IllegalStateException("objection() lets no pipelining through");
        };
    }

    @SuppressWarnings("deprecation") // what replaces these three takes key stores, and no PEM files
    private DefaultJedisClientConfig config(Endpoint target) {
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
                .user(target.username())
                .password(target.password())
                .database(target.database());
        if (options.is(Options.PROTOCOL, 2)) {
            builder.resp2();
        }
        if (target.tls() != null) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm(target.tls().verify() ? "HTTPS" : null);
            builder.ssl(true)
                    .sslSocketFactory(Pem.context(target.tls()).getSocketFactory())
                    .sslParameters(parameters);
        }
        return builder.build();
    }

    /** A client as installed; its default pool of 8 connections is enlarged only where more threads share it. */
    private RedisClient client(int threads) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        if (threads > pool.getMaxTotal()) {
            pool.setMaxTotal(threads);
            pool.setMaxIdle(threads);
        }
        return client(pool, threads);
    }

    private RedisClient client(ConnectionPoolConfig pool, int most) {
        RedisClient client = RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(config)
                .poolConfig(pool)
                .build();
        clients.add(client);
        settings.put("max_total", pool.getMaxTotal());
        settings.put("max_idle", pool.getMaxIdle());
        open(client, Math.min(most, pool.getMaxTotal()));
        return client;
    }

    /** Opens the pool's connections now, so that no unit of a slice does. */
    private static void open(RedisClient client, int connections) {
        List<Connection> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(client.getPool().getResource());
        }
        opened.forEach(Connection::close);
    }

    /** Threads share clients; thread i has client i mod n. */
    private List<Lane> threads(Shape shape) {
        int count = Math.min(shape.connections(), shape.threads());
        List<Unit> units = IntStream.range(0, count)
                .mapToObj(i -> client((shape.threads() - i + count - 1) / count))
                .map(this::command)
                .toList();
        return IntStream.range(0, shape.threads())
                .mapToObj(i -> new Lane(units.get(i % count)))
                .toList();
    }

    private List<Lane> pool(Shape shape) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(shape.maxTotal());
        pool.setMaxIdle(shape.maxIdle() == null ? shape.maxTotal() : shape.maxIdle());
        pool.setMaxWait(Limits.POOL_WAIT);
        settings.put("max_wait_ms", Limits.POOL_WAIT.toMillis());
        Unit unit = command(client(pool, shape.threads()));
        return Collections.nCopies(shape.threads(), new Lane(unit));
    }

    /** Borrows a connection, sends a command, gives the connection back: all of it inside the client. */
    private Unit command(RedisClient client) {
        return new Single() {
            @Override
            public Object perform(int first) {
                return calls.send(client, first);
            }
        };
    }

    /**
     * No connection lasts; one is opened and closed now, so that a target that is not there is found here.
     *
     * <p>Unlike {@link RedisClient}, {@link Jedis} does not negotiate: where the configuration names no protocol, it
     * speaks RESP2 and sends no HELLO. So the protocol is named.
     */
    private Unit newConnection() {
        DefaultJedisClientConfig named = DefaultJedisClientConfig.builder()
                .from(config)
                .protocol(protocol())
                .build();
        new Jedis(address, named).close();
        return new Single() {
            @Override
            public Object perform(int first) {
                try (Jedis connection = new Jedis(address, named)) {
                    return calls.send(connection, first);
                }
            }
        };
    }

    private RedisProtocol protocol() {
        return options.is(Options.PROTOCOL, 2) ? RedisProtocol.RESP2 : RedisProtocol.RESP3;
    }

    private Unit transaction(RedisClient client, Shape shape) {
        return new Block() {
            @Override
            public Object perform(int first) {
                try (AbstractTransaction transaction = begin()) {
                    for (int i = first; i < first + shape.depth(); i++) {
                        calls.queue(transaction, i);
                    }
                    return checked(transaction.exec());
                }
            }

            private AbstractTransaction begin() {
                return "batched".equals(shape.form())
                        ? client.multi()
                        : new ReliableTransaction(client.getPool().getResource(), true, true);
            }
        };
    }

    /** EXEC gives errors among the replies. */
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
        clients.forEach(RedisClient::close);
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
        private final RedisClient client;
        private final Response<?>[] responses;

        Batch(RedisClient client, int depth) {
            this.client = client;
            this.responses = new Response<?>[depth];
        }

        @Override
        public Object perform(int first) {
            try (AbstractPipeline pipeline = client.pipelined()) {
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
