import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.File;
import java.time.Duration;
import respmark.Client;
import respmark.Trial;

/** Where the server is, and how to log in there, as Lettuce has it. */
final class LettuceAddress {
    /** After a reconnect, a command that was being written may never be answered. */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private LettuceAddress() {}

    static RedisURI of(Trial trial) {
        Trial.Server server = trial.server();
        RedisURI.Builder uri = place(server);
        if (server.username() != null) {
            uri.withAuthentication(server.username(), server.password());
        } else if (server.password() != null) {
            uri.withPassword(server.password().toCharArray());
        }
        if (server.tls() != null) {
            uri.withSsl(true).withVerifyPeer(server.tls().verify());
        }
        if (!trial.hasLimits() || trial.isLimited()) {
            uri.withTimeout(trial.isLimited() ? Client.LIMIT : TIMEOUT);
        }
        return uri.withDatabase(server.database()).build();
    }

    /** Where the server is, or the sentinels that know: these are asked again whenever a connection was lost. */
    private static RedisURI.Builder place(Trial.Server server) {
        if (server.unixSocket() != null) {
            return RedisURI.Builder.socket(server.unixSocket());
        }
        if (server.sentinels().isEmpty()) {
            return RedisURI.builder().withHost(server.host()).withPort(server.port());
        }
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(Trial.WATCHED);
        for (Trial.Place sentinel : server.sentinels()) {
            RedisURI.Builder own = RedisURI.builder().withHost(sentinel.host()).withPort(sentinel.port());
            if (server.password() != null) {
                own.withPassword(server.password().toCharArray());
            }
            uri.withSentinel(own.build());
        }
        return uri;
    }

    static SslOptions ssl(Trial.Tls tls) {
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
}
