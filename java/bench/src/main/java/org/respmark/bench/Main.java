package org.respmark.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the benchmarks: {@code java -jar respmark-java-bench.jar --port N [options]}. */
public final class Main {
    /** What JMH measured, in JMH's own format. */
    static final String RESULTS = "jmh.json";

    /** Benchmarks that failed, with the reason. */
    static final String FAILURES = "failures.json";

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
            Arguments arguments = Arguments.parse(List.of(words));
            Target.of(arguments.host(), arguments.port(), arguments.passwordFile())
                    .mustAnswer();
            return measure(arguments);
        } catch (Arguments.InvalidException e) {
            return refuse(INVALID, e);
        } catch (Target.UnreachableException e) {
            return refuse(UNREACHABLE, e);
        } catch (NoBenchmarksException e) {
            return refuse(INVALID, new Arguments.InvalidException("no benchmark has a name that fits --filter"));
        } catch (RunnerException | IOException e) {
            return refuse(FAILED, e);
        }
    }

    private static int measure(Arguments arguments) throws RunnerException, IOException {
        Files.createDirectories(arguments.out());
        Failures failures = new Failures(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.NORMAL));
        new Runner(options(arguments), failures).run();
        failures.finish();
        Path file = arguments.out().resolve(FAILURES);
        Files.writeString(file, failures.json(), StandardCharsets.UTF_8);
        failures.sentences().forEach(System.err::println);
        return failures.none() ? DONE : FAILED;
    }

    static Options options(Arguments arguments) {
        Job job = arguments.job();
        OptionsBuilder options = new OptionsBuilder();
        arguments.filters().forEach(options::include);
        options.forks(arguments.forks().orElse(job.forks()))
                .warmupIterations(job.warmupIterations())
                .warmupTime(job.iterationTime())
                .measurementIterations(job.iterations())
                .measurementTime(job.iterationTime())
                .addProfiler(GCProfiler.class)
                .resultFormat(ResultFormatType.JSON)
                .result(arguments.out().resolve(RESULTS).toString())
                .jvmArgsAppend(jvmArguments(arguments).toArray(String[]::new));
        return options.build();
    }

    /** Heap, target and library versions; JMH records them in its own result file, too. */
    private static List<String> jvmArguments(Arguments arguments) {
        return List.of(
                "-Xms512m",
                "-Xmx512m",
                Target.HOST.option(arguments.host()),
                Target.PORT.option(Integer.toString(arguments.port())),
                Target.PASSWORD_FILE.option(arguments.passwordFile()),
                "-Drespmark.library.jedis=" + Libraries.jedis(),
                "-Drespmark.library.lettuce=" + Libraries.lettuce());
    }

    private static int refuse(int code, Exception reason) {
        if ("1".equals(System.getenv("RESPMARK_DEBUG"))) {
            reason.printStackTrace();
        }
        String said = String.valueOf(reason.getMessage()).strip().replaceAll("\\s*\\n\\s*", " / ");
        System.err.println("error: " + said);
        return code;
    }
}
