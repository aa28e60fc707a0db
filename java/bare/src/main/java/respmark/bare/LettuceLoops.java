package respmark.bare;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.Map;

/** Bare loops with Lettuce: `sync`, `batching`, and `pipelining` in bursts. */
record LettuceLoops(Map<String, Object> trial, Commands commands) {
    Bare.Loop loop() {
        Map<String, Object> shape = Bare.object(trial, "shape");
        int depth = Bare.number(shape, "depth", 1);
        return switch ((String) trial.get("scenario")) {
            case "sync" -> sync(connect().sync());
            case "batching" -> batching(depth);
            case "pipelining" -> "burst".equals(shape.get("window")) ? burst(connect(), depth, () -> {}) : null;
            default -> null;
        };
    }

    private StatefulRedisConnection<String, String> connect() {
        Map<String, Object> options = Bare.object(Bare.object(trial, "client"), "options");
        // As the runner does: without the native transport, which is on the class path as an option.
        System.setProperty("io.lettuce.core.epoll", String.valueOf("epoll".equals(options.get("transport"))));
        RedisClient client = RedisClient.create(uri(Bare.object(trial, "target")));
        ClientOptions.Builder settings = ClientOptions.builder();
        if (Bare.number(options, "protocol", 3) == 2) {
            settings.protocolVersion(ProtocolVersion.RESP2);
        }
        if ("off".equals(options.get("command-timeout"))) {
            settings.timeoutOptions(
                    TimeoutOptions.builder().timeoutCommands(false).build());
        }
        client.setOptions(settings.build());
        return client.connect();
    }

    private static RedisURI uri(Map<String, Object> target) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost((String) target.get("host"))
                .withPort(Bare.number(target, "port", 0))
                .withDatabase(Bare.number(target, "database", 0));
        if (target.get("password") instanceof String password) {
            uri.withAuthentication((String) target.getOrDefault("username", "default"), password);
        }
        return uri.build();
    }

    private Bare.Loop sync(RedisCommands<String, String> redis) {
        return endNs -> {
            long operations = 0;
            int at = commands.first(0, 1);
            do {
                String value = commands.values()[at];
                if (value == null) {
                    redis.get(commands.keys()[at]);
                } else {
                    redis.set(commands.keys()[at], value);
                }
                at = commands.after(at);
                operations++;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }

    private Bare.Loop batching(int depth) {
        StatefulRedisConnection<String, String> connection = connect();
        connection.setAutoFlushCommands(false);
        return burst(connection, depth, connection::flushCommands);
    }

    private Bare.Loop burst(StatefulRedisConnection<String, String> connection, int depth, Runnable issued) {
        RedisAsyncCommands<String, String> redis = connection.async();
        RedisFuture<?>[] futures = new RedisFuture<?>[depth];
        return endNs -> {
            long operations = 0;
            int at = commands.first(0, 1);
            do {
                for (int i = 0; i < depth; i++) {
                    String value = commands.values()[at];
                    futures[i] = value == null ? redis.get(commands.keys()[at]) : redis.set(commands.keys()[at], value);
                    at = commands.after(at);
                }
                issued.run();
                if (!LettuceFutures.awaitAll(connection.getTimeout(), futures)) {
                    throw Bare.fail("no reply in time");
                }
                operations += depth;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }
}
