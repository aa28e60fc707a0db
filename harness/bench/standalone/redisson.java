import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.redisson.Redisson;
import org.redisson.api.RBatch;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson as its README uses it: `java -cp JARS redisson.java HOST PORT sync|batching KEY_PREFIX`, with strings as they
 * are for a codec, and one connection for one thread. The first line of input is the password, perhaps empty; each of the
 * others is a turn, in seconds.
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
        String password = input.readLine();
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.setPassword(password.isEmpty() ? null : password);
        config.useSingleServer()
                .setAddress("redis://" + arguments[0] + ":" + arguments[1])
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(1);
        RedissonClient redisson = Redisson.create(config);
        System.out.println("ready");
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            long operations = 0;
            long started = System.nanoTime();
            long ends = started + (long) (Double.parseDouble(line) * 1e9);
            while (System.nanoTime() < ends) {
                if (isBatching) {
                    batching(redisson, groups.get(at));
                } else {
                    sync(redisson, groups.get(at));
                }
                at = (at + 1) % groups.size();
                operations += BATCH;
            }
            System.out.println(operations + " " + (System.nanoTime() - started));
        }
        redisson.shutdown();
    }

    private static void sync(RedissonClient redisson, List<Command> group) {
        for (Command command : group) {
            if (command.value == null) {
                redisson.<String>getBucket(command.key).get();
            } else {
                redisson.<String>getBucket(command.key).set(command.value);
            }
        }
    }

    private static void batching(RedissonClient redisson, List<Command> group) {
        RBatch batch = redisson.createBatch();
        for (Command command : group) {
            if (command.value == null) {
                batch.<String>getBucket(command.key).getAsync();
            } else {
                batch.<String>getBucket(command.key).setAsync(command.value);
            }
        }
        batch.execute();
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
