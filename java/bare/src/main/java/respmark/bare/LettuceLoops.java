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
record LettuceLoops(Map<String, String> options, Commands commands) {
    Bare.Loop loop() {
        int depth = Bare.number(options, "depth", 1);
        return switch (options.get("scenario")) {
            case "sync" -> sync(connect().sync());
            case "batching" -> batching(depth);
            case "pipelining" -> "sliding".equals(options.get("window")) ? null : burst(connect(), depth, () -> {});
            default -> null;
        };
    }

    private StatefulRedisConnection<String, String> connect() {
        // As the runner does: without the native transport, which is on the class path as an option.
        System.setProperty("io.lettuce.core.epoll", String.valueOf("epoll".equals(options.get("transport"))));
        RedisClient client = RedisClient.create(RedisURI.create(options.get("host"), Bare.number(options, "port", 0)));
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

    private Bare.Loop sync(RedisCommands<String, String> redis) {
        return (first, endNs) -> {
            long operations = 0;
            int at = first;
            do {
                command(redis, at);
                at = commands.after(at, 1);
                operations++;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }

    private Object command(RedisCommands<String, String> redis, int at) {
        String value = commands.values()[at];
        return value == null ? redis.get(commands.keys()[at]) : redis.set(commands.keys()[at], value);
    }

    private Bare.Loop batching(int depth) {
        StatefulRedisConnection<String, String> connection = connect();
        connection.setAutoFlushCommands(false);
        return burst(connection, depth, connection::flushCommands);
    }

    private Bare.Loop burst(StatefulRedisConnection<String, String> connection, int depth, Runnable issued) {
        RedisAsyncCommands<String, String> redis = connection.async();
        RedisFuture<?>[] futures = new RedisFuture<?>[depth];
        return (first, endNs) -> {
            long operations = 0;
            int at = first;
            do {
                issue(redis, at, futures);
                issued.run();
                if (!LettuceFutures.awaitAll(connection.getTimeout(), futures)) {
                    throw Bare.fail("no reply in time");
                }
                at = commands.after(at, depth);
                operations += depth;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }

    private void issue(RedisAsyncCommands<String, String> redis, int first, RedisFuture<?>[] futures) {
        for (int i = 0; i < futures.length; i++) {
            String key = commands.keys()[first + i];
            String value = commands.values()[first + i];
            futures[i] = value == null ? redis.get(key) : redis.set(key, value);
        }
    }
}
