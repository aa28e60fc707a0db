package respmark.testing;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;
import respmark.workload.Commands;
import respmark.workload.WordType;
import respmark.workload.Workload;
import respmark.workload.WorkloadFile;

/** A server of a test's own, with a control connection. */
public final class Server implements AutoCloseable {
    private static final int TRIES = 5;
    private static final long START_LIMIT_MS = 10_000;
    private static final long END_LIMIT_S = 10;
    private static final long PAUSE_MS = 20;
    private static final int CONTROL_LIMIT_MS = 10_000;
    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z]+):calls=(\\d+),");

    private final int port;
    private final Process process;
    private final Path folder;
    private final Jedis control;

    private Server(int port, Process process, Path folder, Jedis control) {
        this.port = port;
        this.process = process;
        this.folder = folder;
        this.control = control;
    }

    /** Starts a server that holds the golden workload's keys; on another port if the port was taken meanwhile. */
    public static Server start(String... options) throws IOException, InterruptedException {
        for (int i = 1; ; i++) {
            try {
                Server server = startOnce(options);
                server.preload(Golden.workload());
                return server;
            } catch (IllegalStateException error) {
                if (i == TRIES) {
                    throw error;
                }
            }
        }
    }

    private static Server startOnce(String... options) throws IOException, InterruptedException {
        int port = freePort();
        Path folder = Files.createTempDirectory("respmark-java-test-");
        List<String> command = new ArrayList<>(List.of(
                program(),
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                folder.toString()));
        Collections.addAll(command, options);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        long limit = System.currentTimeMillis() + START_LIMIT_MS;
        while (process.isAlive() && System.currentTimeMillis() < limit) {
            try {
                return new Server(port, process, folder, new Jedis("127.0.0.1", port, CONTROL_LIMIT_MS));
            } catch (JedisException error) {
                Thread.sleep(PAUSE_MS);
            }
        }
        process.destroyForcibly().waitFor(END_LIMIT_S, TimeUnit.SECONDS);
        throw new IllegalStateException("the server did not start: " + Golden.text(folder.resolve("log")));
    }

    private static String program() {
        String named = System.getenv("RESPMARK_SERVER");
        if (named != null && !named.isEmpty()) {
            return named;
        }
        return Stream.of("valkey-server", "redis-server")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .map(place -> Path.of(place, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no valkey-server or redis-server on PATH: install one, or name one in RESPMARK_SERVER"))
                .toString();
    }

    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public int port() {
        return port;
    }

    public Object command(String name, String... words) {
        return control.sendCommand(Protocol.Command.valueOf(name), words);
    }

    /** Writes the keys of a workload that exist before a trial. */
    public void preload(String path) {
        Workload workload = WorkloadFile.read(path);
        Commands<String> commands = workload.commands(WordType.TEXT, 0);
        for (int i = 0; i < workload.length(); i++) {
            long key = workload.keyNumber(i);
            if (commands.key(i) != null && workload.exists(key)) {
                control.set(commands.key(i), workload.value(key, SIZE, WordType.TEXT));
            }
        }
    }

    /** Writes what the golden workload of commands works on: five keys each of lists, hashes, sets and so on. */
    public void preloadStructures() {
        Workload workload = WorkloadFile.read(Golden.commands());
        for (int number = 0; number < 25; number++) {
            String key = "other:%07d".formatted(number);
            List<String> values = new ArrayList<>();
            for (int size = 4; size <= SIZE; size++) {
                values.add(workload.value(number, size, WordType.TEXT));
            }
            control.del(key);
            switch (number / 5) {
                case 0 -> control.rpush(key, values.subList(0, 8).toArray(String[]::new));
                case 1 -> values.subList(0, 4).forEach(value -> control.hset(key, value, value));
                case 2 -> control.sadd(key, values.toArray(String[]::new));
                case 3 -> values.forEach(value -> control.zadd(key, 1.5, value));
                default -> control.set(key, "0");
            }
        }
        for (int number = 25; number < 60; number++) {
            control.set("other:%07d".formatted(number), workload.value(number, SIZE, WordType.TEXT));
        }
    }

    /** A size of value that the golden workload allows. */
    public static final int SIZE = 64;

    /** How often each command was called since `resetCounters`, without what connecting and this control call. */
    public Map<String, Long> calls() {
        Map<String, Long> calls = everyCall();
        calls.keySet().removeAll(List.of("info", "config", "hello", "client"));
        return calls;
    }

    /** How often clients said HELLO since `resetCounters`. */
    public long hellos() {
        return everyCall().getOrDefault("hello", 0L);
    }

    private Map<String, Long> everyCall() {
        Map<String, Long> calls = new TreeMap<>();
        Matcher matcher = CALLS.matcher(control.info("commandstats"));
        while (matcher.find()) {
            calls.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        return calls;
    }

    public void resetCounters() {
        control.configResetStat();
    }

    /** A number of INFO. */
    public long figure(String section, String name) {
        Matcher matcher = Pattern.compile("(?m)^" + name + ":(\\d+)").matcher(control.info(section));
        if (!matcher.find()) {
            throw new IllegalArgumentException(name + " is not in INFO " + section);
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Whether it is Redis itself, and this version or a later one. */
    public boolean isRedisFrom(int major, int minor) {
        String info = control.info("server");
        Matcher version = Pattern.compile("(?m)^redis_version:(\\d+)\\.(\\d+)").matcher(info);
        if (info.contains("valkey") || !version.find()) {
            return false;
        }
        int found = Integer.parseInt(version.group(1));
        return found > major || (found == major && Integer.parseInt(version.group(2)) >= minor);
    }

    /** The value of a key, whatever it is. */
    public String value(String key) {
        byte[] value = control.get(SafeEncoder.encode(key));
        return value == null ? null : SafeEncoder.encode(value);
    }

    /** Ends the server at once. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor(END_LIMIT_S, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
        control.close();
        try {
            kill();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
