package respmark.clients.lettuce;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.support.ConnectionPoolSupport;
import io.lettuce.core.support.caching.CacheFrontend;
import io.lettuce.core.support.caching.ClientSideCaching;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import respmark.clients.Flight;
import respmark.clients.Lane;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.clients.Unit;
import respmark.contract.Event.LocalCache;
import respmark.contract.Limits;
import respmark.contract.Trial;
import respmark.contract.Trial.Shape;
import respmark.workload.WordType;
import respmark.workload.Workload;

/** One trial's client and its unit of work; W is the type of keys and values, String or byte[]. */
final class LettuceSession<W> implements Session {
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final RedisClient client;
    private final WordType<W> type;
    private final RedisCodec<W, W> codec;
    private final Options options;
    private final Map<String, Object> settings = new LinkedHashMap<>();
    private final Trial trial;
    private LettuceCalls<W> calls;
    private CountedMap<W> cache;

    LettuceSession(Trial trial, Options options, WordType<W> type, RedisCodec<W, W> codec) {
        this.trial = trial;
        this.options = options;
        this.type = type;
        this.codec = codec;
        client = RedisClient.create(LettuceOptions.uri(trial.target()));
        client.setOptions(LettuceOptions.client(options, trial.target().tls()));
        settings.put("transport", options.get(LettuceOptions.TRANSPORT));
        settings.put("io_threads", client.getResources().ioThreadPoolSize());
        settings.put("computation_threads", client.getResources().computationThreadPoolSize());
        settings.put(
                "lettuce_command_timeout_ms",
                client.getOptions().getTimeoutOptions().isTimeoutCommands()
                        ? LettuceOptions.uri(trial.target()).getTimeout().toMillis()
                        : 0L);
    }

    @Override
    public void materialise(Workload workload) {
        int depth = trial.shape().depth() == null ? 0 : trial.shape().depth();
        calls = LettuceCalls.of(workload.commands(type, depth));
    }

    @Override
    public List<Lane> connect() {
        Shape shape = trial.shape();
        return switch (trial.scenario()) {
            case SYNC -> List.of(command(connection()));
            case PIPELINING -> pipelining(shape);
            case BATCHING -> List.of(new Lane(batch(shape.depth())));
            case TRANSACTION -> List.of(new Lane(transaction(shape.depth())));
            case THREADS -> threads(shape);
            case POOL -> pool(shape);
            case CACHING -> List.of(new Lane(caching(shape.cacheEntries())));
            case NEW_CONNECTION -> List.of(new Lane(newConnection()));
        };
    }

    /** GETs go through the library's cache frontend, everything else straight to its connection. */
    private Unit caching(int entries) {
        settings.put("cache_entries", entries);
        StatefulRedisConnection<W, W> connection = connection();
        RedisCommands<W, W> commands = connection.sync();
        cache = new CountedMap<>(entries);
        CacheFrontend<W, W> frontend = ClientSideCaching.enable(cache, connection, TrackingArgs.Builder.enabled());
        return new Single() {
            @Override
            public Object perform(int first) {
                return calls.isGet(first) ? frontend.get(calls.commands().key(first)) : calls.now(commands, first);
            }
        };
    }

    @Override
    public LocalCache localCache() {
        return cache == null ? null : cache.told();
    }

    private StatefulRedisConnection<W, W> connection() {
        return client.connect(codec);
    }

    /** One at a time: the thread waits for the reply, or its callback sends the next command. */
    private Lane command(StatefulRedisConnection<W, W> connection) {
        if (!options.is(LettuceOptions.API, "sync")) {
            return new Lane(new Burst(connection, 1), flight(connection));
        }
        RedisCommands<W, W> commands = connection.sync();
        return new Lane(new Single() {
            @Override
            public Object perform(int first) {
                return calls.now(commands, first);
            }
        });
    }

    /** How a command is sent without waiting. */
    private Flight flight(StatefulRedisConnection<W, W> connection) {
        if (options.is(LettuceOptions.API, "reactive")) {
            RedisReactiveCommands<W, W> commands = connection.reactive();
            return command -> calls.later(commands, command);
        }
        RedisAsyncCommands<W, W> commands = connection.async();
        return command -> calls.later(commands, command);
    }

    /** Threads share one connection. */
    private List<Lane> pipelining(Shape shape) {
        int threads = shape.threads() == null ? 1 : shape.threads();
        StatefulRedisConnection<W, W> connection = connection();
        if (shape.slides()) {
            Lane lane = new Lane(new Burst(connection, 1), flight(connection));
            return Collections.nCopies(threads, lane);
        }
        return Stream.generate(() -> new Lane(new Burst(connection, shape.depth())))
                .limit(threads)
                .toList();
    }

    private Unit batch(int depth) {
        StatefulRedisConnection<W, W> connection = connection();
        connection.setAutoFlushCommands(false);
        return new Burst(connection, depth) {
            @Override
            void issued() {
                connection.flushCommands();
            }
        };
    }

    private Unit transaction(int depth) {
        StatefulRedisConnection<W, W> connection = connection();
        connection.setAutoFlushCommands(options.is(LettuceOptions.TRANSACTION_FLUSH, "auto"));
        return new Transaction(connection, depth);
    }

    /** Threads share connections; thread i has connection i mod n. */
    private List<Lane> threads(Shape shape) {
        List<Lane> lanes = IntStream.range(0, Math.min(shape.connections(), shape.threads()))
                .mapToObj(i -> command(connection()))
                .toList();
        return IntStream.range(0, shape.threads())
                .mapToObj(i -> lanes.get(i % lanes.size()))
                .toList();
    }

    @SuppressWarnings("deprecation") // setMaxWaitMillis's replacement is newer than the commons-pool2 of Jedis 3
    private List<Lane> pool(Shape shape) {
        GenericObjectPoolConfig<StatefulRedisConnection<W, W>> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(shape.maxTotal());
        config.setMaxIdle(shape.maxIdle() == null ? shape.maxTotal() : shape.maxIdle());
        config.setMaxWaitMillis(Limits.POOL_WAIT.toMillis());
        settings.put("max_wait_ms", Limits.POOL_WAIT.toMillis());
        boolean isWrapping = options.is(LettuceOptions.WRAPPING, "on");
        GenericObjectPool<StatefulRedisConnection<W, W>> pool =
                ConnectionPoolSupport.createGenericObjectPool(this::connection, config, isWrapping);
        open(pool, Math.min(shape.threads(), shape.maxTotal()));
        Unit unit = isWrapping ? wrapped(pool) : unwrapped(pool);
        return Collections.nCopies(shape.threads(), new Lane(unit));
    }

    /** Opens the pool's connections now, so no unit of a slice has to. */
    private void open(GenericObjectPool<StatefulRedisConnection<W, W>> pool, int connections) {
        List<StatefulRedisConnection<W, W>> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(borrow(pool));
        }
        opened.forEach(pool::returnObject);
    }

    private static <C> C borrow(GenericObjectPool<C> pool) {
        try {
            return pool.borrowObject();
        } catch (RuntimeException error) {
            throw error;
        } catch (Exception error) {
            throw new RedisException(error);
        }
    }

    /** Closing the proxy gives the connection back. */
    private Unit wrapped(GenericObjectPool<StatefulRedisConnection<W, W>> pool) {
        return new Single() {
            @Override
            public Object perform(int first) throws Exception {
                try (StatefulRedisConnection<W, W> connection = pool.borrowObject()) {
                    return calls.now(connection.sync(), first);
                }
            }
        };
    }

    private Unit unwrapped(GenericObjectPool<StatefulRedisConnection<W, W>> pool) {
        return new Single() {
            @Override
            public Object perform(int first) throws Exception {
                StatefulRedisConnection<W, W> connection = pool.borrowObject();
                try {
                    return calls.now(connection.sync(), first);
                } finally {
                    pool.returnObject(connection);
                }
            }
        };
    }

    /** Keeps no connection; opens and closes one now, so a missing target is noticed here. */
    private Unit newConnection() {
        connection().close();
        return new Single() {
            @Override
            public Object perform(int first) {
                try (StatefulRedisConnection<W, W> connection = connection()) {
                    return calls.now(connection.sync(), first);
                }
            }
        };
    }

    @Override
    public Map<String, Object> settings() {
        return settings;
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, CLOSING);
    }

    /** A unit of one command. */
    private interface Single extends Unit {
        @Override
        default List<?> replies(Object outcome) {
            return Collections.singletonList(LettuceCalls.plain(outcome));
        }
    }

    /** Commands issued without waiting, then all of them awaited. */
    private class Burst implements Unit {
        private final Flight flight;
        private final Duration timeout;
        private final CompletableFuture<?>[] futures;

        Burst(StatefulRedisConnection<W, W> connection, int depth) {
            this.flight = flight(connection);
            this.timeout = connection.getTimeout();
            this.futures = new CompletableFuture<?>[depth];
        }

        /** Called when all commands have been issued. */
        void issued() {}

        @Override
        public Object perform(int first) {
            try {
                for (int i = 0; i < futures.length; i++) {
                    futures[i] = flight.send(first + i).toCompletableFuture();
                }
                issued();
                if (!LettuceFutures.awaitAll(timeout, futures)) {
                    throw new RedisCommandTimeoutException("no reply to all of a burst in " + timeout);
                }
                return futures;
            } catch (RedisException error) {
                settle();
                throw error;
            }
        }

        /** Waits until nothing of a failed unit is in flight, but no longer than the timeout. */
        private void settle() {
            CompletableFuture<?>[] sent =
                    Arrays.stream(futures).filter(Objects::nonNull).toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(sent)
                    .exceptionally(error -> null)
                    .completeOnTimeout(null, timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        }

        @Override
        public List<?> replies(Object outcome) {
            List<Object> replies = new ArrayList<>();
            for (CompletableFuture<?> future : futures) {
                replies.add(LettuceCalls.plain(future.join()));
            }
            return replies;
        }
    }

    /** MULTI, the commands and EXEC, without waiting in between. */
    private final class Transaction implements Unit {
        private final StatefulRedisConnection<W, W> connection;
        private final Flight flight;
        private final Supplier<CompletableFuture<String>> multi;
        private final Supplier<CompletableFuture<TransactionResult>> exec;
        private final boolean isManual = options.is(LettuceOptions.TRANSACTION_FLUSH, "manual");
        private final Duration timeout;
        private final int depth;
        private final boolean isReactive = options.is(LettuceOptions.API, "reactive");
        private final CompletableFuture<?>[] sent;

        Transaction(StatefulRedisConnection<W, W> connection, int depth) {
            this.connection = connection;
            this.flight = flight(connection);
            RedisReactiveCommands<W, W> reactive = connection.reactive();
            RedisAsyncCommands<W, W> async = connection.async();
            this.multi = isReactive
                    ? () -> reactive.multi().toFuture()
                    : () -> async.multi().toCompletableFuture();
            this.exec = isReactive
                    ? () -> reactive.exec().toFuture()
                    : () -> async.exec().toCompletableFuture();
            this.timeout = connection.getTimeout();
            this.depth = depth;
            this.sent = new CompletableFuture<?>[isReactive ? depth : 0];
        }

        @Override
        public Object perform(int first) {
            CompletableFuture<String> begun = multi.get();
            for (int i = first; i < first + depth; i++) {
                CompletionStage<?> one = flight.send(i);
                if (isReactive) {
                    sent[i - first] = one.toCompletableFuture();
                }
            }
            CompletableFuture<TransactionResult> done = exec.get();
            if (isManual) {
                connection.flushCommands();
            }
            if (!LettuceFutures.awaitAll(timeout, begun, done)) {
                begun.cancel(true);
                done.cancel(true);
                throw new RedisCommandTimeoutException("no reply to all of a transaction in " + timeout);
            }
            return checked(done.join());
        }

        /**
         * EXEC returns errors among the replies and, after a reconnect during its reply, fewer
         * replies without an error.
         */
        private TransactionResult checked(TransactionResult result) {
            if (result.wasDiscarded() || result.size() != depth) {
                throw new RedisCommandExecutionException(
                        "the transaction was not carried out: %d replies to %d commands"
                                .formatted(result.size(), depth));
            }
            for (Object reply : result) {
                if (reply instanceof RedisException error) {
                    throw error;
                }
            }
            return result;
        }

        /**
         * The reactive API gives list elements to the command's subscriber, not to EXEC's reply.
         */
        @Override
        public List<?> replies(Object outcome) {
            List<Object> replies = new ArrayList<>();
            if (isReactive) {
                Arrays.stream(sent).forEach(future -> replies.add(LettuceCalls.plain(future.join())));
            } else {
                ((TransactionResult) outcome).forEach(reply -> replies.add(LettuceCalls.plain(reply)));
            }
            return replies;
        }
    }
}
