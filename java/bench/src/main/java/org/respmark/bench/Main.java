package org.respmark.bench;

import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import redis.clients.jedis.Jedis;

/** Runs the benchmarks: {@code java -jar respmark-java-bench.jar --port N [--NAME VALUE ...]}. */
public final class Main {
    private static final Set<String> KNOWN =
            Set.of("--host", "--port", "--password-file", "--job", "--forks", "--filter", "--out");

    /** How long to measure: forks, warm-up iterations, iterations, and the seconds of each. */
    private static final Map<String, int[]> JOBS =
            Map.of("short", new int[] {1, 2, 3, 1}, "medium", new int[] {2, 5, 5, 1}, "long", new int[] {5, 5, 5, 2});

    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int INVALID = 2;
    private static final int UNREACHABLE = 4;

    private Main() {}

    /** Runs the benchmarks and ends the process with the exit code. */
    public static void main(String[] words) {
        System.exit(run(words));
    }

    static int run(String... words) {
        try {
            Map<String, String> given = given(words);
            Server.of(given.get("--host"), given.get("--port"), given.get("--password-file"))
                    .mustAnswer();
            return measure(given);
        } catch (IllegalArgumentException error) {
            return refuse(INVALID, error.getMessage());
        } catch (NoBenchmarksException error) {
            return refuse(INVALID, "no benchmark has a name that fits --filter");
        } catch (ConnectException error) {
            return refuse(UNREACHABLE, error.getMessage());
        } catch (RunnerException | IOException error) {
            return refuse(FAILED, error.toString());
        }
    }

    /** What was given, by name, and defaults for the rest. */
    static Map<String, String> given(String... words) {
        Map<String, String> given = new HashMap<>(Map.of(
                "--host", "127.0.0.1", "--password-file", "", "--job", "short", "--filter", "*", "--out", "jmh"));
        for (int i = 0; i < words.length; i += 2) {
            if (!KNOWN.contains(words[i]) || i + 1 == words.length) {
                throw new IllegalArgumentException("give pairs of option and value; there are " + KNOWN);
            }
            given.put(words[i], words[i + 1]);
        }
        if (!given.containsKey("--port") || !JOBS.containsKey(given.get("--job"))) {
            throw new IllegalArgumentException("give --port, and as --job one of " + JOBS.keySet());
        }
        return given;
    }

    private static int measure(Map<String, String> given) throws RunnerException, IOException {
        Path out = Files.createDirectories(Path.of(given.get("--out")));
        Failures failures = new Failures(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.NORMAL));
        new Runner(options(given, out), failures.noticing()).run();
        failures.write(out.resolve("failures.json"));
        return failures.found().isEmpty() ? DONE : FAILED;
    }

    private static Options options(Map<String, String> given, Path out) {
        int[] job = JOBS.get(given.get("--job"));
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(pattern(given.get("--filter")))
                .forks(given.containsKey("--forks") ? Integer.parseInt(given.get("--forks")) : job[0])
                .warmupIterations(job[1])
                .warmupTime(TimeValue.seconds(job[3]))
                .measurementIterations(job[2])
                .measurementTime(TimeValue.seconds(job[3]))
                .addProfiler(GCProfiler.class)
                .resultFormat(ResultFormatType.JSON)
                .result(out.resolve("jmh.json").toString());
        // JMH records these in its result file, too.
        return options.jvmArgsAppend(
                        "-Xms512m",
                        "-Xmx512m",
                        "-Drespmark.host=" + given.get("--host"),
                        "-Drespmark.port=" + given.get("--port"),
                        "-Drespmark.password-file=" + given.get("--password-file"),
                        "-Drespmark.library.jedis=" + version(Jedis.class, "redis.clients/jedis"),
                        "-Drespmark.library.lettuce=" + version(RedisClient.class, "io.lettuce/lettuce-core"))
                .build();
    }

    /** Turns a glob ({@code *jedis*}) into the whole-name pattern that JMH takes. */
    static String pattern(String glob) {
        return "^" + Pattern.quote(glob).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q") + "$";
    }

    /** The version that Maven recorded in the library's own jar. */
    static String version(Class<?> member, String artifact) {
        try (InputStream stream = member.getResourceAsStream("/META-INF/maven/" + artifact + "/pom.properties")) {
            Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version");
        } catch (IOException error) {
            throw new IllegalStateException("the jar does not say what it has of " + artifact, error);
        }
    }

    private static int refuse(int code, String reason) {
        System.err.println("error: " + reason.strip().replaceAll("\\s*\\n\\s*", " / "));
        return code;
    }
}
