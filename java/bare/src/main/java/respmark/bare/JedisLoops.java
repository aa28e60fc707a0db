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
record JedisLoops(Map<String, Object> trial, Commands commands) {
    Bare.Loop loop() {
        Map<String, Object> shape = Bare.object(trial, "shape");
        return switch ((String) trial.get("scenario")) {
            case "sync" -> sync(client(new ConnectionPoolConfig()));
            case "batching" -> batching(client(new ConnectionPoolConfig()), Bare.number(shape, "depth", 1));
            case "pool" -> pool(shape);
            default -> null;
        };
    }

    private RedisClient client(ConnectionPoolConfig pool) {
        Map<String, Object> target = Bare.object(trial, "target");
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .user((String) target.get("username"))
                .password((String) target.get("password"))
                .database(Bare.number(target, "database", 0));
        if (Bare.number(Bare.object(Bare.object(trial, "client"), "options"), "protocol", 3) == 2) {
            config.resp2();
        }
        return RedisClient.builder()
                .hostAndPort((String) target.get("host"), Bare.number(target, "port", 0))
                .clientConfig(config.build())
                .poolConfig(pool)
                .build();
    }

    private Bare.Loop sync(RedisClient client) {
        return endNs -> walk(client, commands.first(0, 1), endNs);
    }

    private long walk(RedisClient client, int first, long endNs) {
        long operations = 0;
        int at = first;
        do {
            String value = commands.values()[at];
            if (value == null) {
                client.get(commands.keys()[at]);
            } else {
                client.set(commands.keys()[at], value);
            }
            at = commands.after(at);
            operations++;
        } while (System.nanoTime() < endNs);
        return operations;
    }

    private Bare.Loop batching(RedisClient client, int depth) {
        Response<?>[] responses = new Response<?>[depth];
        return endNs -> {
            long operations = 0;
            int at = commands.first(0, 1);
            do {
                try (AbstractPipeline pipeline = client.pipelined()) {
                    for (int i = 0; i < depth; i++) {
                        String value = commands.values()[at];
                        responses[i] = value == null
                                ? pipeline.get(commands.keys()[at])
                                : pipeline.set(commands.keys()[at], value);
                        at = commands.after(at);
                    }
                    pipeline.sync();
                }
                for (Response<?> response : responses) {
                    response.get();
                }
                operations += depth;
            } while (System.nanoTime() < endNs);
            return operations;
        };
    }

    private Bare.Loop pool(Map<String, Object> shape) {
        int threads = Bare.number(shape, "threads", 1);
        int most = Bare.number(shape, "max_total", 1);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(most);
        pool.setMaxIdle(Bare.number(shape, "max_idle", most));
        RedisClient client = client(pool);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        return endNs -> {
            List<Future<Long>> walks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = commands.first(i, threads);
                walks.add(executor.submit(() -> walk(client, first, endNs)));
            }
            long operations = 0;
            for (Future<Long> walk : walks) {
                operations += walk.get();
            }
            return operations;
        };
    }
}
