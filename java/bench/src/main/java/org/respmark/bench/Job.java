package org.respmark.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.options.TimeValue;

/** How long to measure. */
enum Job {
    /** One process, three iterations of a second: a first look. */
    SHORT(1, 2, 3, 1),
    /** Two processes, five iterations of a second. */
    MEDIUM(2, 5, 5, 1),
    /** Five processes, five iterations of two seconds. */
    LONG(5, 5, 5, 2);

    private final int forks;
    private final int warmupIterations;
    private final int iterations;
    private final int seconds;

    Job(int forks, int warmupIterations, int iterations, int seconds) {
        this.forks = forks;
        this.warmupIterations = warmupIterations;
        this.iterations = iterations;
        this.seconds = seconds;
    }

    int forks() {
        return forks;
    }

    int warmupIterations() {
        return warmupIterations;
    }

    int iterations() {
        return iterations;
    }

    TimeValue iterationTime() {
        return TimeValue.seconds(seconds);
    }

    static Job named(String name) throws Arguments.InvalidException {
        for (Job job : values()) {
            if (job.name().toLowerCase(Locale.ROOT).equals(name)) {
                return job;
            }
        }
        throw new Arguments.InvalidException("--job is `" + name + "`; it may be " + names());
    }

    private static String names() {
        return Arrays.stream(values())
                .map(job -> job.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
