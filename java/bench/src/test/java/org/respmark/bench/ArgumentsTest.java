package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
    /** What is not given has a default, but for the port. */
    @Test
    void defaults() throws Arguments.InvalidException {
        Arguments expected =
                new Arguments("127.0.0.1", 6379, "", Job.SHORT, OptionalInt.empty(), List.of(), Path.of("jmh"));
        assertEquals(expected, Arguments.parse(List.of("--port", "6379")));
    }

    /** Every option is taken. */
    @Test
    void everyOption() throws Arguments.InvalidException {
        List<String> words = List.of(
                "--host", "h", "--port", "1", "--password-file", "p", "--job", "long", "--forks", "3", "--out", "o");
        Arguments arguments = Arguments.parse(words);
        assertEquals(new Arguments("h", 1, "p", Job.LONG, OptionalInt.of(3), List.of(), Path.of("o")), arguments);
    }

    /** A filter is a glob over the whole name; a dot in it is a dot. */
    @ParameterizedTest
    @CsvSource({
        "*jedis.Sync*, org.respmark.bench.jedis.Sync.get, true",
        "*jedis.Sync*, org.respmark.bench.jedisXSync.get, false",
        "Sync, org.respmark.bench.jedis.Sync.get, false",
        "*.?et, org.respmark.bench.jedis.Sync.get, true",
    })
    void filters(String glob, String name, boolean fits) throws Arguments.InvalidException {
        Arguments arguments = Arguments.parse(List.of("--port", "1", "--filter", glob));
        assertEquals(fits, name.matches(arguments.filters().get(0)));
    }

    /** What is wrong is named, with what is allowed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--job short | --port is missing",
                "--port 0 | it must be a number from 1 to 65535",
                "--port 70000 | it must be a number from 1 to 65535",
                "--port many | it must be a number from 1 to 65535",
                "--port 1 --job forever | it may be short, medium, long",
                "--port | --port needs a value",
                "--speed 3 | `--speed` is no option",
            })
    void invalid(String line, String said) {
        Exception refusal =
                assertThrows(Arguments.InvalidException.class, () -> Arguments.parse(List.of(line.split(" "))));
        assertTrue(refusal.getMessage().contains(said), refusal.getMessage());
    }
}
