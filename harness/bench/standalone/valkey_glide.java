import glide.api.GlideClient;
import glide.api.logging.Logger;
import glide.api.models.Batch;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import glide.api.models.configuration.ServerCredentials;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;

/**
 * Valkey GLIDE as its README uses it: `java -cp JARS valkey_glide.java HOST PORT sync|batching KEY_PREFIX`; its warnings,
 * which it prints to standard output, are off. The first line of input is the password, perhaps empty; each of the others
 * is a turn, in seconds.
 */
final class StandAlone {
    private static final int BATCH = 100;

    /** A busy machine may take longer than the 250 ms of an installation. */
    private static final int TIMEOUT_MS = 10_000;

    /** A GET has no value. */
    private record Command(String key, String value) {}

    private StandAlone() {}

    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        boolean isBatching = arguments[2].equals("batching");
        List<List<Command>> groups = made(arguments[3]);
        int at = 0;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Logger.setLoggerConfig(Logger.Level.OFF);
        var configuration = GlideClientConfiguration.builder()
                .address(NodeAddress.builder()
                        .host(arguments[0])
                        .port(Integer.parseInt(arguments[1]))
                        .build())
                .requestTimeout(TIMEOUT_MS);
        String password = input.readLine();
        if (!password.isEmpty()) {
            configuration.credentials(
                    ServerCredentials.builder().password(password).build());
        }
        try (GlideClient client =
                GlideClient.createClient(configuration.build()).get()) {
            System.out.println("ready");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                long operations = 0;
                long started = System.nanoTime();
                long ends = started + (long) (Double.parseDouble(line) * 1e9);
                while (System.nanoTime() < ends) {
                    if (isBatching) {
                        batching(client, groups.get(at));
                    } else {
                        sync(client, groups.get(at));
                    }
                    at = (at + 1) % groups.size();
                    operations += BATCH;
                }
                System.out.println(operations + " " + (System.nanoTime() - started));
            }
        }
    }

    private static void sync(GlideClient client, List<Command> group) throws InterruptedException, ExecutionException {
        for (Command command : group) {
            if (command.value == null) {
                client.get(command.key).get();
            } else {
                client.set(command.key, command.value).get();
            }
        }
    }

    private static void batching(GlideClient client, List<Command> group)
            throws InterruptedException, ExecutionException {
        Batch batch = new Batch(false);
        for (Command command : group) {
            if (command.value == null) {
                batch.get(command.key);
            } else {
                batch.set(command.key, command.value);
            }
        }
        client.exec(batch, true).get();
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
