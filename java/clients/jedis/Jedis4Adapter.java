import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.ReliableTransaction;
import redis.clients.jedis.Transaction;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;

/** Jedis 4 and the first versions 5: a JedisPooled, with a pool of connections inside; RESP2 alone. */
@SuppressWarnings("deprecation") // JedisPooled, from version 7.2 on, for RedisClient
public final class Jedis4Adapter implements Library {
    @Override
    public Client<?, ?> load(Trial trial) {
        return trial.is("decode", "text")
                ? new PooledClient<>(trial, JedisMethods.text(), JedisMethods.text())
                : new PooledClient<>(trial, JedisMethods.bytes(), JedisMethods.bytes());
    }

    /** What versions 4 to 7 have in common. */
    static class PooledClient<W> extends JedisBase<JedisPooled, W> {
        private final JedisMethods<JedisPooled, Pipeline, Transaction, W> methods;
        private final JedisMethods<JedisPooled, Pipeline, ReliableTransaction, W> queued;

        PooledClient(
                Trial trial,
                JedisMethods<JedisPooled, Pipeline, Transaction, W> methods,
                JedisMethods<JedisPooled, Pipeline, ReliableTransaction, W> queued) {
            super(trial, methods.words());
            this.methods = methods;
            this.queued = queued;
        }

        /** The first versions have no PING of a JedisPooled. */
        @Override
        public Map<String, Commands.Method<JedisPooled, W>> commands() {
            return methods.client();
        }

        @Override
        JedisPooled pooled(int maxTotal, int maxIdle, long maxWaitMillis, int connections) {
            ConnectionPoolConfig sized = sized(new ConnectionPoolConfig(), maxTotal, maxIdle, maxWaitMillis);
            JedisPooled client =
                    new JedisPooled(sized, address, withProtocol(config()).build());
            client.getPool().addObjects(connections);
            return client;
        }

        DefaultJedisClientConfig.Builder withProtocol(DefaultJedisClientConfig.Builder config) {
            return config;
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

        /** As `pipelined` does it, which the first versions do not have. */
        @Override
        public Unit batch(JedisPooled client, Commands<W> commands, int depth) {
            Commands.Calls<Pipeline> calls = commands.with(methods.pipeline());
            return first -> {
                try (Connection connection = client.getPool().getResource();
                        Pipeline pipeline = new Pipeline(connection)) {
                    return synced(pipeline, calls, first, depth, Pipeline::sync);
                }
            };
        }

        /** Form `batched`: MULTI and the commands in one flush, EXEC in another. Form `queued`: each is a round trip. */
        @Override
        public Unit transaction(JedisPooled client, Commands<W> commands, int depth, String form) {
            return form.equals("batched") ? batched(client, commands, depth) : queued(client, commands, depth);
        }

        /** As `multi` does it, which the first versions do not have. */
        private Unit batched(JedisPooled client, Commands<W> commands, int depth) {
            Commands.Calls<Transaction> calls = commands.with(methods.transaction());
            return first -> {
                try (Connection connection = client.getPool().getResource();
                        Transaction transaction = new Transaction(connection)) {
                    return executed(transaction, calls, first, depth, Transaction::exec);
                }
            };
        }

        private Unit queued(JedisPooled client, Commands<W> commands, int depth) {
            Commands.Calls<ReliableTransaction> calls = commands.with(queued.transaction());
            return first -> {
                try (Connection connection = client.getPool().getResource();
                        ReliableTransaction transaction = new ReliableTransaction(connection)) {
                    return executed(transaction, calls, first, depth, ReliableTransaction::exec);
                }
            };
        }
    }
}
