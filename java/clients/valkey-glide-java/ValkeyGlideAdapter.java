import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.logging.Logger;
import glide.api.models.BaseBatch;
import glide.api.models.Batch;
import glide.api.models.ClusterBatch;
import glide.api.models.ClusterValue;
import glide.api.models.configuration.AdvancedBaseClientConfiguration;
import glide.api.models.configuration.AdvancedGlideClientConfiguration;
import glide.api.models.configuration.AdvancedGlideClusterClientConfiguration;
import glide.api.models.configuration.BaseClientConfiguration;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.GlideClusterClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import glide.api.models.configuration.ProtocolVersion;
import glide.api.models.configuration.ReadFrom;
import glide.api.models.configuration.ServerCredentials;
import glide.api.models.configuration.TlsAdvancedConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/**
 * Valkey GLIDE: its core, native code with threads of its own, sends what all threads ask for over one connection, or over
 * one to each node of a cluster.
 */
public final class ValkeyGlideAdapter implements Library {
    private static final int TIMEOUT_MS = 10_000;
    private static final int INSTALLED_IN_FLIGHT = 1_000;
    /** What stands behind the version in the name of a jar with native code. */
    private static final String CLASSIFIER = "-(linux|osx|windows)-.*$";

    @Override
    public Client<?, ?> load(Trial trial) {
        if (trial.server().unixSocket() != null) {
            throw new UnsupportedOperationException("GLIDE connects to a host and port, not to a unix socket");
        }
        Logger.setLoggerConfig(Logger.Level.OFF);
        if (trial.server().cluster()) {
            GlideClusterClientConfiguration configuration = ofCluster(trial);
            return new GlideUser(
                    () -> GlideClusterClient.createClient(configuration).get(), ValkeyGlideAdapterCommands.ofCluster());
        }
        GlideClientConfiguration configuration = ofServer(trial);
        return new GlideUser(
                () -> GlideClient.createClient(configuration).get(), ValkeyGlideAdapterCommands.ofServer());
    }

    private record GlideUser(Callable<BaseClient> connect, Map<String, Commands.Method<BaseClient, String>> commands)
            implements Client<BaseClient, String> {
        @Override
        public Map<String, String> versions() {
            return Map.of(
                    "valkey-glide-java", Library.version(GlideClient.class).replaceFirst(CLASSIFIER, ""));
        }

        @Override
        public Map<String, Object> settings() {
            return Map.of("native_core", "Rust");
        }

        @Override
        public Words<String> words() {
            return Words.TEXT;
        }

        @Override
        public BaseClient connect(int threads) throws Exception {
            return connect.call();
        }

        @Override
        public boolean isAsync() {
            return true;
        }

        @Override
        public Unit batch(BaseClient client, Commands<String> commands, int depth) {
            return executed(client, commands, depth, false);
        }

        @Override
        public Unit transaction(BaseClient client, Commands<String> commands, int depth, String form) {
            return executed(client, commands, depth, true);
        }

        /** Several values are an array; what a cluster replies to a customCommand is in a value of its own. */
        @Override
        public Object plain(Object reply, Commands<String> commands, int i) {
            Object value = reply instanceof ClusterValue<?> ofNode ? ofNode.getSingleValue() : reply;
            return value instanceof Object[] values ? Arrays.asList(values) : value;
        }

        private static Unit executed(BaseClient client, Commands<String> commands, int depth, boolean isAtomic) {
            if (client instanceof GlideClusterClient cluster) {
                Commands.Calls<ClusterBatch> calls = commands.with(ValkeyGlideAdapterCommands.<ClusterBatch>ofBatch());
                return first -> cluster.exec(filled(new ClusterBatch(isAtomic), calls, first, depth), true)
                        .get();
            }
            GlideClient server = (GlideClient) client;
            Commands.Calls<Batch> calls = commands.with(ValkeyGlideAdapterCommands.<Batch>ofBatch());
            return first -> server.exec(filled(new Batch(isAtomic), calls, first, depth), true)
                    .get();
        }

        private static <B extends BaseBatch<B>> B filled(B batch, Commands.Calls<B> calls, int first, int depth) {
            for (int i = first; i < first + depth; i++) {
                calls.send(batch, i);
            }
            return batch;
        }
    }

    private static GlideClientConfiguration ofServer(Trial trial) {
        var configuration = GlideClientConfiguration.builder();
        var advanced = AdvancedGlideClientConfiguration.builder();
        configure(configuration, advanced, trial);
        return configuration.advancedConfiguration(advanced.build()).build();
    }

    private static GlideClusterClientConfiguration ofCluster(Trial trial) {
        var configuration = GlideClusterClientConfiguration.builder();
        var advanced = AdvancedGlideClusterClientConfiguration.builder();
        configure(configuration, advanced, trial);
        if (trial.is("reads", "replica")) {
            configuration.readFrom(ReadFrom.PREFER_REPLICA);
        }
        return configuration.advancedConfiguration(advanced.build()).build();
    }

    /** As installed, except where the trial says otherwise. */
    private static void configure(
            BaseClientConfiguration.BaseClientConfigurationBuilder<?, ?> configuration,
            AdvancedBaseClientConfiguration.AdvancedBaseClientConfigurationBuilder<?, ?> advanced,
            Trial trial) {
        Trial.Server server = trial.server();
        int inFlight = trial.shape().depth() * Math.max(trial.shape().threads(), 1);
        configuration
                .address(NodeAddress.builder()
                        .host(server.host())
                        .port(server.port())
                        .build())
                .inflightRequestsLimit(Math.max(INSTALLED_IN_FLIGHT, 2 * inFlight))
                .databaseId(server.database())
                .protocol(trial.is("protocol", 2) ? ProtocolVersion.RESP2 : ProtocolVersion.RESP3);
        if (server.password() != null) {
            configuration.credentials(ServerCredentials.builder()
                    .username(server.username())
                    .password(server.password())
                    .build());
        }
        if (!trial.hasLimits() || trial.isLimited()) {
            int limitMs = trial.isLimited() ? (int) Client.LIMIT.toMillis() : TIMEOUT_MS;
            configuration.requestTimeout(limitMs);
            advanced.connectionTimeout(limitMs);
        }
        if (server.tls() != null) {
            configuration.useTLS(true);
            advanced.tlsAdvancedConfiguration(secured(server.tls()));
        }
    }

    private static TlsAdvancedConfiguration secured(Trial.Tls tls) {
        var configuration = TlsAdvancedConfiguration.builder().useInsecureTLS(!tls.verify());
        if (tls.verify() && tls.caFile() != null) {
            configuration.rootCertificates(content(tls.caFile()));
        }
        if (tls.certificateFile() != null) {
            throw new UnsupportedOperationException("GLIDE sends no certificate of the client");
        }
        return configuration.build();
    }

    private static byte[] content(String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
