import io.netty.util.concurrent.EventExecutor;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import nl.altindag.ssl.SSLFactory;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchOptions.ExecutionMode;
import org.redisson.api.RBatch;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.Protocol;
import org.redisson.config.ReadMode;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SslVerificationMode;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Pem;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/**
 * Redisson: an object for each key, whose methods are commands; each takes a connection of the client's own pool, of which
 * a cluster has one for each node, and a primary behind sentinels one beside those of its replicas.
 */
public final class RedissonAdapter implements Library {
    private static final int TIMEOUT_MS = 10_000;
    private static final int INSTALLED_IDLE = 24;
    /** By the option `reads`. */
    private static final Map<Object, ReadMode> READ_MODES =
            Map.of("replica", ReadMode.SLAVE, "primary", ReadMode.MASTER, "any", ReadMode.MASTER_SLAVE);
    /** Where one thing is done after the other: it would go round all connections. */
    private static final Set<String> ALONE = Set.of("sync", "batching", "transaction");

    @Override
    public Client<?, ?> load(Trial trial) {
        if (trial.server().unixSocket() != null) {
            throw new UnsupportedOperationException("Redisson opens no unix sockets by itself: name host and port");
        }
        return new RedissonUser(trial);
    }

    /** A client, whose connections are open. */
    record Connected(RedissonClient redisson) implements AutoCloseable {
        @Override
        public void close() {
            redisson.shutdown();
        }
    }

    private record RedissonUser(Trial trial) implements Client<Connected, String> {
        @Override
        public Map<String, String> versions() {
            return Map.of(
                    "redisson", Library.version(Redisson.class),
                    "netty", Library.version(EventExecutor.class));
        }

        @Override
        public Words<String> words() {
            return Words.TEXT;
        }

        @Override
        public boolean isAsync() {
            return trial.scenario().equals("pipelining");
        }

        @Override
        public Map<String, Commands.Method<Connected, String>> commands() {
            return isAsync() ? RedissonAdapterCommands.async() : RedissonAdapterCommands.sync();
        }

        /** All of the pool's connections are open: each of several commands in flight has one. With limits, as installed. */
        @Override
        public Connected connect(int threads) {
            if (trial.hasLimits()) {
                return new Connected(Redisson.create(configuration(trial)));
            }
            int used = isAsync() ? threads * trial.shape().depth() : threads;
            int size = ALONE.contains(trial.scenario()) ? 1 : Math.max(used, INSTALLED_IDLE);
            Config config = configuration(trial);
            if (trial.server().isOne()) {
                config.useSingleServer().setConnectionMinimumIdleSize(size).setConnectionPoolSize(size);
            } else {
                several(config, trial)
                        .setMasterConnectionMinimumIdleSize(size)
                        .setMasterConnectionPoolSize(size)
                        .setSlaveConnectionMinimumIdleSize(size)
                        .setSlaveConnectionPoolSize(size);
            }
            return new Connected(Redisson.create(config));
        }

        @Override
        public Unit batch(Connected client, Commands<String> commands, int depth) {
            return executed(client, commands, depth, ExecutionMode.IN_MEMORY);
        }

        @Override
        public Unit transaction(Connected client, Commands<String> commands, int depth, String form) {
            return executed(client, commands, depth, ExecutionMode.IN_MEMORY_ATOMIC);
        }

        private static Unit executed(Connected client, Commands<String> commands, int depth, ExecutionMode mode) {
            Commands.Calls<RBatch> calls = commands.with(RedissonAdapterCommands.ofBatch());
            BatchOptions options = BatchOptions.defaults().executionMode(mode);
            return first -> {
                RBatch batch = client.redisson().createBatch(options);
                for (int i = first; i < first + depth; i++) {
                    calls.send(batch, i);
                }
                return batch.execute().getResponses().toArray();
            };
        }

        /** MGET returns what was found by its key. */
        @Override
        public Object plain(Object reply, Commands<String> commands, int i) {
            return reply instanceof Map<?, ?> found && commands.name(i).equals("MGET")
                    ? Arrays.stream(commands.several(i).words()).map(found::get).toList()
                    : reply;
        }
    }

    /** As installed, except where the trial says otherwise. */
    private static Config configuration(Trial trial) {
        Trial.Server server = trial.server();
        Config config = new Config().setProtocol(trial.is("protocol", 3) ? Protocol.RESP3 : Protocol.RESP2);
        String host = server.host().contains(":") ? "[" + server.host() + "]" : server.host();
        config.setUsername(server.username()).setPassword(server.password());
        String address = (server.tls() == null ? "redis://" : "rediss://") + host + ":" + server.port();
        if (server.cluster()) {
            ReadMode reads = READ_MODES.get(trial.options().get("reads"));
            limit(config, config.useClusterServers().addNodeAddress(address).setReadMode(reads), trial);
        } else if (!server.sentinels().isEmpty()) {
            SentinelServersConfig watched = config.useSentinelServers()
                    .setMasterName(Trial.WATCHED)
                    .setSentinelPassword(server.password())
                    .setDatabase(server.database())
                    .setReadMode(ReadMode.MASTER);
            server.sentinels()
                    .forEach(place -> watched.addSentinelAddress("redis://" + place.host() + ":" + place.port()));
            limit(config, watched, trial);
        } else {
            limit(config, config.useSingleServer().setAddress(address).setDatabase(server.database()), trial);
        }
        if (server.tls() != null) {
            secure(config, server.tls());
        }
        return config;
    }

    /** How the nodes of a cluster are reached, or those that sentinels watch. */
    private static BaseMasterSlaveServersConfig<?> several(Config config, Trial trial) {
        return trial.server().cluster() ? config.useClusterServers() : config.useSentinelServers();
    }

    private static void limit(Config config, BaseConfig<?> servers, Trial trial) {
        int limitMs = (int) Client.LIMIT.toMillis();
        if (!trial.hasLimits()) {
            servers.setTimeout(TIMEOUT_MS);
        } else if (trial.isLimited()) {
            servers.setTimeout(limitMs).setConnectTimeout(limitMs);
        }
        if (trial.isStrict()) {
            servers.setRetryAttempts(0).setPingConnectionInterval(limitMs);
            config.setTcpKeepAlive(true)
                    .setTcpKeepAliveIdle(1)
                    .setTcpKeepAliveInterval(1)
                    .setTcpKeepAliveCount(1);
        }
    }

    private static void secure(Config config, Trial.Tls tls) {
        SSLFactory factory = Pem.factory(tls);
        factory.getTrustManagerFactory().ifPresent(config::setSslTrustManagerFactory);
        factory.getKeyManagerFactory().ifPresent(config::setSslKeyManagerFactory);
        config.setSslVerificationMode(tls.verify() ? SslVerificationMode.STRICT : SslVerificationMode.NONE);
    }
}
