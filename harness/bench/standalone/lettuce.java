import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;


/**
 * Lettuce as its README uses it: `java -cp JARS lettuce.java HOST PORT sync|batching KEY_PREFIX`. The first line of input is
 * the password, perhaps empty; each of the others is a turn, in seconds.
 */
final class StandAlone {
    private static final int BATCH = 100;

    /** A GET has no value. */
    private record Command(String key, String value) {}

    private StandAlone() {}

    public static void main(String[] arguments) throws IOException {
        boolean isBatching = arguments[2].equals("batching");
        List<List<Command>> groups = made(arguments[3]);
        int at = 0;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        RedisURI uri = RedisURI.create(arguments[0], Integer.parseInt(arguments[1]));
        String password = input.readLine();
        if (!password.isEmpty()) {
            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> RedisCredentials.just(null, password)));
        }
        RedisClient client = RedisClient.create(uri);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.setAutoFlushCommands(!isBatching);
            System.out.println("ready");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                long operations = 0;
                long started = System.nanoTime();
                long ends = started + (long) (Double.parseDouble(line) * 1e9);
                while (System.nanoTime() < ends) {
                    if (isBatching) {
                        batching(connection, groups.get(at));
                    } else {
                        sync(connection.sync(), groups.get(at));
                    }
                    at = (at + 1) % groups.size();
                    operations += BATCH;
                }
                System.out.println(operations + " " + (System.nanoTime() - started));
            }
        }
        client.shutdown();
    }

    private static void sync(RedisCommands<String, String> redis, List<Command> group) {
        for (Command command : group) {
            if (command.value == null) {
                redis.get(command.key);
            } else {
                redis.set(command.key, command.value);
            }
        }
    }

    private static void batching(StatefulRedisConnection<String, String> connection, List<Command> group) {
        RedisAsyncCommands<String, String> redis = connection.async();
        List<RedisFuture<?>> replies = new ArrayList<>(BATCH);
        for (Command command : group) {
            replies.add(command.value == null ? redis.get(command.key) : redis.set(command.key, command.value));
        }
        connection.flushCommands();
        if (!LettuceFutures.awaitAll(10, TimeUnit.SECONDS, replies.toArray(new RedisFuture<?>[0]))) {
            throw new IllegalStateException("no reply in time");
        }
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
