package respmark.bare;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Bare loops with Lettuce: `sync`, `batching`, and `pipelining` in bursts. */
record LettuceLoops(Map<String, String> options, Commands commands) {
    Bare.Loop loop() {
        int depth = Bare.number(options, "depth", 1);
        return switch (options.get("scenario")) {
            case "sync" -> isWaiting() ? sync(connect().sync()) : chain(sender(connect()));
            case "batching" -> batching(depth);
            case "pipelining" -> "sliding".equals(options.get("window")) ? null : burst(connect(), depth, () -> {});
            default -> null;
        };
    }

    private StatefulRedisConnection<String, String> connect() {
        // Like the runner: the native transport is on the class path but is used only if the options ask for it.
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

    /** The callback of each reply sends the next command; the thread waits for the last one. */
    private Bare.Loop chain(Sender sender) {
        return (first, endNs) -> {
            CompletableFuture<Long> operations = new CompletableFuture<>();
            send(sender, first, 1, endNs, operations);
            return operations.get();
        };
    }

    private void send(Sender sender, int at, long sent, long endNs, CompletableFuture<Long> operations) {
        sender.send(at).whenComplete((reply, error) -> {
            if (error != null) {
                operations.completeExceptionally(error);
            } else if (System.nanoTime() >= endNs) {
                operations.complete(sent);
            } else {
                send(sender, commands.after(at, 1), sent + 1, endNs, operations);
            }
        });
    }

    private Bare.Loop batching(int depth) {
        StatefulRedisConnection<String, String> connection = connect();
        connection.setAutoFlushCommands(false);
        return burst(connection, depth, connection::flushCommands);
    }

    private Bare.Loop burst(StatefulRedisConnection<String, String> connection, int depth, Runnable issued) {
        Sender sender = sender(connection);
        CompletableFuture<?>[] futures = new CompletableFuture<?>[depth];
        return (first, endNs) -> {
            long operations = 0;
            int at = first;
            do {
                for (int i = 0; i < depth; i++) {
                    futures[i] = sender.send(at + i).toCompletableFuture();
                }
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

    /** Sends a command without waiting for its reply. */
    private interface Sender {
        CompletionStage<?> send(int at);
    }

    private boolean isWaiting() {
        return "sync".equals(options.getOrDefault("api", "sync"));
    }

    private Sender sender(StatefulRedisConnection<String, String> connection) {
        return "reactive".equals(options.get("api")) ? sender(connection.reactive()) : sender(connection.async());
    }

    private Sender sender(RedisAsyncCommands<String, String> redis) {
        return at -> {
            String key = commands.keys()[at];
            String value = commands.values()[at];
            return value == null ? redis.get(key) : redis.set(key, value);
        };
    }

    private Sender sender(RedisReactiveCommands<String, String> redis) {
        return at -> {
            String key = commands.keys()[at];
            String value = commands.values()[at];
            return (value == null ? redis.get(key) : redis.set(key, value)).toFuture();
        };
    }
}
