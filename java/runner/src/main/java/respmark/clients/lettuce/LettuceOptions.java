package respmark.clients.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import respmark.clients.Options;
import respmark.clients.Pem;
import respmark.contract.Trial.Endpoint;
import respmark.contract.Trial.Tls;

/** The library's options, and the target in the form that the library takes. */
final class LettuceOptions {
    static final String API = "api";
    static final String COMMAND_TIMEOUT = "command-timeout";
    static final String TRANSPORT = "transport";
    static final String WRAPPING = "wrapping";
    static final String TRANSACTION_FLUSH = "transaction-flush";

    private LettuceOptions() {}

    /** Every option with the values it takes, the default first. */
    static Map<String, List<Object>> values() {
        Map<String, List<Object>> values = new LinkedHashMap<>(Options.common());
        values.put(API, List.of("sync", "async", "reactive"));
        values.put(COMMAND_TIMEOUT, LettuceVersion.COMMAND_TIMEOUTS);
        values.put(TRANSPORT, List.of("nio", "epoll"));
        values.put(WRAPPING, List.of("on", "off"));
        values.put(TRANSACTION_FLUSH, List.of("auto", "manual"));
        return values;
    }

    /** As installed, except where the options say otherwise. */
    static ClientOptions client(Options options, Tls tls) {
        ClientOptions.Builder builder = ClientOptions.builder();
        if (options.is(Options.PROTOCOL, 2)) {
            builder.protocolVersion(ProtocolVersion.RESP2);
        }
        if (options.is(COMMAND_TIMEOUT, "off")) {
            builder.timeoutOptions(
                    TimeoutOptions.builder().timeoutCommands(false).build());
        }
        if (tls != null) {
            builder.sslOptions(ssl(tls));
        }
        return builder.build();
    }

    private static SslOptions ssl(Tls tls) {
        SslOptions.Builder builder = SslOptions.builder().jdkSslProvider();
        TrustManagerFactory trust = Pem.trust(tls);
        if (trust != null) {
            builder.trustManager(trust);
        }
        KeyManagerFactory identity = Pem.identity(tls);
        if (identity != null) {
            builder.keyManager(identity);
        }
        return builder.build();
    }

    static RedisURI uri(Endpoint target) {
        RedisURI.Builder builder = target.unixSocket() == null
                ? RedisURI.builder().withHost(target.host()).withPort(target.port())
                : RedisURI.Builder.socket(target.unixSocket());
        builder.withDatabase(target.database());
        if (target.username() != null && target.password() != null) {
            builder.withAuthentication(target.username(), target.password());
        } else if (target.password() != null) {
            builder.withPassword(target.password().toCharArray());
        }
        if (target.tls() != null) {
            LettuceVersion.verify(builder.withSsl(true), target.tls().verify());
        }
        return builder.build();
    }
}
