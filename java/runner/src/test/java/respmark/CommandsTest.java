package respmark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandsTest {
    @TempDir
    Path folder;

    private Commands<String> commands;

    @BeforeEach
    void read() throws IOException {
        commands = Commands.read(PlainWorkload.in(folder).toString(), Words.TEXT, 2);
    }

    /** Keys are in the order of the commands' arguments, values are those of their steps. */
    @Test
    void keysAndValues() {
        assertEquals("k0", commands.key(0));
        assertEquals("k1", commands.key(1));
        assertEquals("abc", commands.value(1));
        assertArrayEquals(new String[] {"abc"}, commands.values(1));
        assertArrayEquals(
                new String[] {"k2", "abc", "k3", "d"}, commands.several(2).words());
        assertEquals(Map.of("k2", "abc", "k3", "d"), commands.several(2).pairs());
        assertEquals("k4", commands.key(3));
        assertEquals("d", commands.value(3));
    }

    /** Numbers are numbers. */
    @Test
    void numbers() {
        assertEquals(1.5, commands.score(3));
        assertEquals(-3, commands.number(4, 0));
        assertEquals(7, commands.number(4, 1));
    }

    /** After the last command the first ones come again, so that no unit wraps around. */
    @Test
    void firstCommandsAreRepeated() {
        assertEquals(PlainWorkload.COMMANDS, commands.count());
        assertEquals("k0", commands.key(PlainWorkload.COMMANDS));
        assertEquals("abc", commands.value(PlainWorkload.COMMANDS + 1));
    }

    /** Bytes are bytes. */
    @Test
    void bytes() throws IOException {
        Commands<byte[]> bytes = Commands.read(folder.resolve("plain.workload").toString(), Words.BYTES, 0);
        assertArrayEquals(new byte[] {'k', '1'}, bytes.key(1));
        assertArrayEquals(new byte[] {'a', 'b', 'c'}, bytes.value(1));
    }

    /** Each command goes to the method of its name; what has none is named. */
    @Test
    void methods() {
        Map<String, Commands.Method<StringBuilder, String>> all = Map.of(
                "GET", (on, w, i) -> on.append("get ").append(w.key(i)),
                "SET", (on, w, i) -> "OK",
                "MSET", (on, w, i) -> "OK",
                "ZADD", (on, w, i) -> 0L,
                "LTRIM", (on, w, i) -> "OK",
                "PING", (on, w, i) -> "PONG");
        Commands.Calls<StringBuilder> calls = commands.with(all);
        StringBuilder sent = new StringBuilder();
        calls.send(sent, 0);
        assertEquals("get k0", sent.toString());
        assertEquals("PONG", calls.send(sent, 5));

        Throwable error = assertThrows(
                UnsupportedOperationException.class, () -> commands.<Object>with(Map.of("GET", (on, w, i) -> null)));
        assertEquals("there is no method for SET: use a workload without it", error.getMessage());
    }

    /** A command without a method goes, with its words in order, through what was made for its name once. */
    @Test
    void anyCommand() {
        List<String> named = new ArrayList<>();
        Commands.AnyMethod<Object, String> any = name -> {
            named.add(name);
            return (on, w, i) -> name + " " + String.join(" ", w.words(i));
        };
        Commands.Calls<Object> calls = commands.<Object>with(Map.of("GET", (on, w, i) -> "own", Commands.ANY, any));
        assertEquals(List.of("SET", "MSET", "ZADD", "LTRIM", "PING"), named);
        assertEquals("own", calls.send(null, 0));
        assertEquals("MSET k2 abc k3 d", calls.send(null, 2));
        assertEquals("ZADD k4 1.5 d", calls.send(null, 3));
        assertEquals("LTRIM k5 -3 7", calls.send(null, 4));
        assertEquals(5, named.size());
        assertArrayEquals(new String[] {"ZADD", "k4", "1.5", "d"}, commands.line(3));
        assertEquals(0, commands.keyAmongWords(3));
        assertEquals(-1, commands.keyAmongWords(5));
    }

    /** Only values that follow their keys are paired with them. */
    @Test
    void valuesAfterAllKeys() throws IOException {
        String header = "{\"commands\": 1, \"key_bytes\": 2, \"values\": [1, 1], \"kinds\": [{\"name\": \"EVAL\", "
                + "\"arguments\": [{\"literal\": \"return 1\"}, {\"literal\": 2}, \"key\", \"key\", \"value\", \"value\"]}], "
                + "\"steps\": [[0, 0, 1]]}\n";
        Path file = PlainWorkload.write(folder.resolve("eval.workload"), header, 1, "k0k1ab");
        Commands<String> scripts = Commands.read(file.toString(), Words.TEXT, 0);
        Commands.AnyMethod<Object, String> any = name -> (on, w, i) -> "";
        scripts.<Object>with(Map.of(Commands.ANY, any));
        assertArrayEquals(new String[] {"EVAL", "return 1", "2", "k0", "k1", "a", "b"}, scripts.line(0));
        assertEquals(2, scripts.keyAmongWords(0));
    }
}
