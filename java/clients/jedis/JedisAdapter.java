import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.csc.CacheFactory;
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
                ? new JedisClient<>(trial, JedisMethods.text())
                : new JedisClient<>(trial, JedisMethods.bytes());
    }

    private static final class JedisClient<W> extends JedisBase<RedisClient, W> {
        private final JedisMethods<RedisClient, AbstractTransaction, W> methods;
        private Cache cache;

        JedisClient(Trial trial, JedisMethods<RedisClient, AbstractTransaction, W> methods) {
            super(trial, methods.words());
            this.methods = methods;
        }

        @Override
        public Map<String, Commands.Method<RedisClient, W>> commands() {
            return withAny(withPing(methods.client(), RedisClient::ping), RedisClient::executeCommand);
        }

        /** The methods with one for any command. */
        private static <R, W> Map<String, Commands.Method<R, W>> withAny(
                Map<String, Commands.Method<R, W>> methods, BiFunction<R, CommandArguments, Object> execute) {
            Map<String, Commands.Method<R, W>> commands = new HashMap<>(methods);
            Commands.AnyMethod<R, W> any = name -> {
                Protocol.Command command = Protocol.Command.valueOf(name);
                return (on, w, i) -> execute.apply(on, new CommandArguments(command).addObjects((Object[]) w.words(i)));
            };
            commands.put(Commands.ANY, any);
            return commands;
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

        @Override
        public Unit newConnection(Commands<W> commands) {
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
                RedisClient client = own(RedisClient.builder()
                        .hostAndPort(address)
                        .clientConfig(config().resp3().build())
                        .cache(cache)
                        .build());
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

        @Override
        public Unit batch(RedisClient client, Commands<W> commands, int depth) {
            return batch(client::pipelined, commands.with(withAny(methods.pipeline(), Pipeline::sendCommand)), depth);
        }

        /**
         * Form `batched`: MULTI and the commands are flushed, then, once each is QUEUED, EXEC. What does not fit into the
         * library's buffer of 8 KiB is written before. Form `queued`: each is a round trip.
         */
        @Override
        public Unit transaction(RedisClient client, Commands<W> commands, int depth, String form) {
            Supplier<AbstractTransaction> multi = form.equals("batched")
                    ? client::multi
                    : () -> new ReliableTransaction(client.getPool().getResource(), true, true);
            return transaction(
                    multi,
                    commands.with(withAny(methods.transaction(), AbstractTransaction::sendCommand)),
                    depth,
                    AbstractTransaction::exec);
        }
    }
}
