import glide.api.GlideClient;
import glide.api.logging.Logger;
import glide.api.models.Batch;
import glide.api.models.configuration.AdvancedGlideClientConfiguration;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import glide.api.models.configuration.ProtocolVersion;
import glide.api.models.configuration.ServerCredentials;
import glide.api.models.configuration.TlsAdvancedConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import respmark.Client;
import respmark.Commands;
import respmark.Library;
import respmark.Trial;
import respmark.Unit;
import respmark.Words;

/** Valkey GLIDE: its core, native code with threads of its own, sends what all threads ask for over one connection. */
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
        return new GlideUser(configuration(trial));
    }

    private record GlideUser(GlideClientConfiguration configuration) implements Client<GlideClient, String> {
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
        public GlideClient connect(int threads) throws Exception {
            return GlideClient.createClient(configuration).get();
        }

        @Override
        public boolean isAsync() {
            return true;
        }

        @Override
        public Map<String, Commands.Method<GlideClient, String>> commands() {
            return ValkeyGlideAdapterCommands.ofClient();
        }

        @Override
        public Unit batch(GlideClient client, Commands<String> commands, int depth) {
            return executed(client, commands, depth, false);
        }

        @Override
        public Unit transaction(GlideClient client, Commands<String> commands, int depth, String form) {
            return executed(client, commands, depth, true);
        }

        /** Several values are an array. */
        @Override
        public Object plain(Object reply, Commands<String> commands, int i) {
            return reply instanceof Object[] values ? Arrays.asList(values) : reply;
        }

        private static Unit executed(GlideClient client, Commands<String> commands, int depth, boolean isAtomic) {
            Commands.Calls<Batch> calls = commands.with(ValkeyGlideAdapterCommands.ofBatch());
            return first -> {
                Batch batch = new Batch(isAtomic);
                for (int i = first; i < first + depth; i++) {
                    calls.send(batch, i);
                }
                return client.exec(batch, true).get();
            };
        }
    }

    /** As installed, except where the trial says otherwise. */
    private static GlideClientConfiguration configuration(Trial trial) {
        Trial.Server server = trial.server();
        int inFlight = trial.shape().depth() * Math.max(trial.shape().threads(), 1);
        var configuration = GlideClientConfiguration.builder()
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
        var advanced = AdvancedGlideClientConfiguration.builder();
        if (!trial.hasLimits() || trial.isLimited()) {
            int limitMs = trial.isLimited() ? (int) Client.LIMIT.toMillis() : TIMEOUT_MS;
            configuration.requestTimeout(limitMs);
            advanced.connectionTimeout(limitMs);
        }
        if (server.tls() != null) {
            configuration.useTLS(true);
            advanced.tlsAdvancedConfiguration(secured(server.tls()));
        }
        return configuration.advancedConfiguration(advanced.build()).build();
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
