package respmark.bare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;

/** Bare loops with Jedis: `sync`, `batching`, `pool`. */
record JedisLoops(Map<String, String> options, Commands commands) {
    Bare.Loop loop() {
        return switch (options.get("scenario")) {
            case "sync" -> sync(client(new ConnectionPoolConfig()));
            case "batching" -> batching(client(new ConnectionPoolConfig()), Bare.number(options, "depth", 1));
            case "pool" -> pool(Bare.number(options, "threads", 1));
            default -> null;
        };
    }

    private RedisClient client(ConnectionPoolConfig pool) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder();
        if (Bare.number(options, "protocol", 3) == 2) {
            config.resp2();
        }
        return RedisClient.builder()
                .hostAndPort(options.get("host"), Bare.number(options, "port", 0))
                .clientConfig(config.build())
                .poolConfig(pool)
                .build();
    }

    private Bare.Loop sync(RedisClient client) {
        return (first, endNs) -> walk(client, first, endNs);
    }

    private long walk(RedisClient client, int first, long endNs) {
        long operations = 0;
        int at = first;
        do {
            command(client, at);
            at = commands.after(at, 1);
            operations++;
        } while (System.nanoTime() < endNs);
        return operations;
    }

    private Object command(RedisClient client, int at) {
        String value = commands.values()[at];
        return value == null ? client.get(commands.keys()[at]) : client.set(commands.keys()[at], value);
    }

    private Bare.Loop batching(RedisClient client, int depth) {
        Response<?>[] responses = new Response<?>[depth];
        return (first, endNs) -> {
            long operations = 0;
            int at = first;
            do {
                batch(client, at, responses);
                at = commands.after(at, depth);
                operations += depth;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }

    private void batch(RedisClient client, int first, Response<?>[] responses) {
        try (AbstractPipeline pipeline = client.pipelined()) {
            for (int i = 0; i < responses.length; i++) {
                String key = commands.keys()[first + i];
                String value = commands.values()[first + i];
                responses[i] = value == null ? pipeline.get(key) : pipeline.set(key, value);
            }
            pipeline.sync();
        }
        for (Response<?> response : responses) {
            response.get();
        }
    }

    private Bare.Loop pool(int threads) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(Bare.number(options, "max-total", threads));
        pool.setMaxIdle(Bare.number(options, "max-idle", pool.getMaxTotal()));
        RedisClient client = client(pool);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        return (first, endNs) -> {
            List<Future<Long>> walks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int start = commands.after(first, (int) ((long) i * commands.count() / threads));
                walks.add(executor.submit(() -> walk(client, start, endNs)));
            }
            long operations = 0;
            for (Future<Long> walk : walks) {
                operations += walk.get();
            }
            return operations;
        };
    }
}
