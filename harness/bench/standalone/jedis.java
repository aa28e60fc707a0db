import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;

/**
 * Jedis as its README uses it: `java -cp JARS jedis.java HOST PORT sync|batching|pool KEY_PREFIX`; in `pool`, ten threads
 * share a client. The first line of input is the password, perhaps empty; each of the others is a turn, in seconds.
 */
final class StandAlone {
    private static final int BATCH = 100;
    private static final int THREADS = 10;

    /** A GET has no value. */
    private record Command(String key, String value) {}

    private final RedisClient client;
    private final boolean isBatching;
    private final List<List<Command>> groups;
    private int at;

    private StandAlone(RedisClient client, boolean isBatching, List<List<Command>> groups, int at) {
        this.client = client;
        this.isBatching = isBatching;
        this.groups = groups;
        this.at = at;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        int threads = arguments[2].equals("pool") ? THREADS : 1;
        List<List<Command>> groups = made(arguments[3]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String password = input.readLine();
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(THREADS);
        pool.setMaxIdle(THREADS);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(arguments[0], Integer.parseInt(arguments[1]))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .password(password.isEmpty() ? null : password)
                        .build())
                .poolConfig(pool)
                .build()) {
            List<StandAlone> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(new StandAlone(client, arguments[2].equals("batching"), groups, i * groups.size() / threads));
            }
            client.ping();
            System.out.println("ready");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                long started = System.nanoTime();
                long ends = started + (long) (Double.parseDouble(line) * 1e9);
                long operations = 0;
                if (threads == 1) {
                    operations = all.get(0).turn(ends);
                } else {
                    List<Callable<Long>> turns = new ArrayList<>();
                    all.forEach(one -> turns.add(() -> one.turn(ends)));
                    for (Future<Long> one : executor.invokeAll(turns)) {
                        operations += one.get();
                    }
                }
                System.out.println(operations + " " + (System.nanoTime() - started));
            }
        }
        executor.shutdown();
    }

    private long turn(long ends) {
        long operations = 0;
        while (System.nanoTime() < ends) {
            if (isBatching) {
                batching(client, groups.get(at));
            } else {
                sync(client, groups.get(at));
            }
            at = (at + 1) % groups.size();
            operations += BATCH;
        }
        return operations;
    }

    private static void sync(RedisClient client, List<Command> group) {
        for (Command command : group) {
            if (command.value == null) {
                client.get(command.key);
            } else {
                client.set(command.key, command.value);
            }
        }
    }

    private static void batching(RedisClient client, List<Command> group) {
        List<Response<String>> replies = new ArrayList<>(BATCH);
        try (Pipeline pipeline = client.pipelined()) {
            for (Command command : group) {
                replies.add(
                        command.value == null
                                ? pipeline.get(command.key)
                                : pipeline.set(command.key, command.value));
            }
            pipeline.sync();
        }
        replies.forEach(Response::get);
    }

    /** 1,000 groups of commands, of which four in five are GETs. */
    private static List<List<Command>> made(String prefix) {
        Random draw = new Random(1);
        List<String> values = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int size = (int) Math.min(Math.max(1024 + 262.7 * draw.nextGaussian(), 4), 2048);
            values.add("v".repeat(size));
        }
        List<List<Command>> groups = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            List<Command> group = new ArrayList<>();
            for (int j = 0; j < BATCH; j++) {
                boolean isGet = draw.nextInt(5) > 0;
                String key = String.format("%s%07d", prefix, draw.nextInt(isGet ? 37_500 : 30_000));
                group.add(new Command(key, isGet ? null : values.get(draw.nextInt(values.size()))));
            }
            groups.add(group);
        }
        return groups;
    }
}
