package respmark;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The commands of a workload file, ready to be sent; W is what keys and values are. A command is its
 * key and the number of its step, so that walking through them costs the client nothing. After the
 * last one the first ones are repeated, so that no unit wraps around.
 */
public final class Commands<W> {
    /** Among an adapter's methods: what sends any command that has no method of its own, word by word. */
    public static final String ANY = "*";

    private final int count;
    private final char[] steps;
    /** All words but the name, of each command that has no method of its own; made by `with`, before anything is measured. */
    private final Object[][] words;
    /** The same with the name before them. */
    private final Object[][] lines;
    /** Each command's key, or `Several`. */
    private final Object[] keys;

    private final List<Step<W>> table = new ArrayList<>();

    private record Header(int commands, int keyBytes, int[] values, List<Kind> kinds, int[][] steps) {}

    private record Kind(String name, List<JsonNode> arguments) {
        long keys() {
            return arguments.stream().filter(one -> one.asText().equals("key")).count();
        }

        /** Whether a value follows each key, as in MSET. */
        boolean hasPairs() {
            return keys() > 1 && arguments.get(1).asText().equals("value");
        }
    }

    /** What commands have in common: all but their keys. */
    private record Step<W>(String name, W value, W[] values, long[] numbers, double[] scores, W[] before, W[] after) {}

    /** The keys of an MGET; the keys and values of an MSET in turn, and as a map. */
    public record Several<W>(W[] words, Map<W, W> pairs) {}

    /** All commands of the file, and the first `more` of them again. */
    @SuppressWarnings("deprecation") // readLine takes bytes for characters, and the header is ASCII
    static <W> Commands<W> read(String path, Words<W> type, int more) throws IOException {
        try (DataInputStream file = new DataInputStream(new BufferedInputStream(new FileInputStream(path)))) {
            return new Commands<>(Json.read(file.readLine(), Header.class), file, type, more);
        }
    }

    @SuppressWarnings("unchecked") // arrays of `type`
    private Commands(Header header, DataInputStream file, Words<W> type, int more) throws IOException {
        count = header.commands;
        steps = new char[count + more];
        for (int i = 0; i < count; i++) {
            steps[i] = Character.reverseBytes(file.readChar());
        }
        keys = new Object[count + more];
        words = new Object[count + more][];
        lines = new Object[count + more][];
        long[] keysOfKind = header.kinds.stream().mapToLong(Kind::keys).toArray();
        for (int i = 0; i < count; i++) {
            int several = (int) keysOfKind[header.steps[steps[i]][0]];
            keys[i] = several == 1 ? type.read(file, header.keyBytes) : type.read(file, header.keyBytes, several);
        }
        List<W> values = new ArrayList<>();
        for (int size : header.values) {
            values.add(type.read(file, size));
        }
        for (int[] step : header.steps) {
            table.add(step(header.kinds.get(step[0]), step, values, type));
        }
        for (int i = 0; i < count; i++) {
            if (keys[i] instanceof Object[] several) {
                int[] step = header.steps[steps[i]];
                boolean hasPairs = header.kinds.get(step[0]).hasPairs();
                keys[i] = hasPairs ? pairs((W[]) several, step, values, type) : new Several<>((W[]) several, Map.of());
            }
        }
        System.arraycopy(steps, 0, steps, count, more);
        System.arraycopy(keys, 0, keys, count, more);
    }

    private static <W> Step<W> step(Kind kind, int[] step, List<W> values, Words<W> type) {
        List<JsonNode> numbers =
                kind.arguments.stream().filter(JsonNode::isObject).toList();
        W[] own = type.array(step.length - 1);
        for (int k = 0; k < own.length; k++) {
            own[k] = values.get(step[k + 1]);
        }
        return new Step<>(
                kind.name,
                own.length == 0 ? null : own[0],
                own,
                numbers.stream().mapToLong(one -> one.get("literal").asLong()).toArray(),
                numbers.stream()
                        .mapToDouble(one -> one.get("literal").asDouble())
                        .toArray(),
                others(kind, true, step, values, type),
                others(kind, false, step, values, type));
    }

    /** The words before a command's keys, its name first, or those after them; but no value that follows its key. */
    private static <W> W[] others(Kind kind, boolean isBefore, int[] step, List<W> values, Words<W> type) {
        List<W> found = new ArrayList<>();
        if (isBefore) {
            found.add(type.of().apply(kind.name.getBytes(StandardCharsets.US_ASCII)));
        }
        boolean isWanted = isBefore;
        int value = 1;
        for (JsonNode one : kind.arguments) {
            if (one.asText().equals("key")) {
                isWanted = !isBefore;
                continue;
            }
            W word = one.isObject()
                    ? type.of().apply(one.get("literal").asText().getBytes(StandardCharsets.US_ASCII))
                    : values.get(step[value++]);
            if (isWanted && (one.isObject() || !kind.hasPairs())) {
                found.add(word);
            }
        }
        return found.toArray(type.array(0));
    }

    private static <W> Several<W> pairs(W[] keys, int[] step, List<W> values, Words<W> type) {
        Map<W, W> pairs = new LinkedHashMap<>();
        W[] words = type.array(2 * keys.length);
        for (int k = 0; k < keys.length; k++) {
            words[2 * k] = keys[k];
            words[2 * k + 1] = values.get(step[k + 1]);
            pairs.put(keys[k], words[2 * k + 1]);
        }
        return new Several<>(words, pairs);
    }

    /**
     * Sends command number `i` on a client, a connection or a pipeline, through the library's own
     * method; returns its reply, or what will hold it. These are the rows of an adapter's table.
     */
    public interface Method<C, W> {
        Object send(C on, Commands<W> commands, int i);
    }

    /** Sends any command: made for each by its name, before anything is measured. */
    public interface AnyMethod<C, W> extends Method<C, W> {
        Method<C, W> named(String name);

        @Override
        default Object send(C on, Commands<W> commands, int i) {
            return named(commands.name(i)).send(on, commands, i);
        }
    }

    /** The same for all commands, each with its method. */
    public interface Calls<C> {
        Object send(C on, int i);
    }

    /**
     * Joins the commands with the methods that send them. With GET and SET alone, the compiler sees
     * two methods where they are called and puts both in line: the table costs nothing.
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    public <C> Calls<C> with(Map<String, Method<C, W>> methods) {
        Method<C, W>[] methodOfStep =
                table.stream().map(step -> found(step.name, methods)).toArray(Method[]::new);
        for (int i = 0; i < words.length; i++) {
            if (!methods.containsKey(name(i))) {
                lines[i] = spelled(i);
                words[i] = Arrays.copyOfRange(lines[i], 1, lines[i].length);
            }
        }
        return (on, i) -> methodOfStep[steps[i]].send(on, this, i);
    }

    private static <C, W> Method<C, W> found(String name, Map<String, Method<C, W>> methods) {
        Method<C, W> method = methods.getOrDefault(name, methods.get(ANY));
        if (method == null) {
            throw new UnsupportedOperationException("there is no method for " + name + ": use a workload without it");
        }
        return method instanceof AnyMethod<C, W> any ? any.named(name) : method;
    }

    int count() {
        return count;
    }

    @SuppressWarnings("unchecked")
    public W key(int i) {
        return (W) keys[i];
    }

    public W value(int i) {
        return table.get(steps[i]).value;
    }

    /** The command's values, where its method takes a list of them. */
    public W[] values(int i) {
        return table.get(steps[i]).values;
    }

    /** A number among the command's arguments, by its place among them. */
    public long number(int i, int place) {
        return table.get(steps[i]).numbers[place];
    }

    /** The first number with its fraction. */
    public double score(int i) {
        return table.get(steps[i]).scores[0];
    }

    /** The command's name, as it is sent. */
    public String name(int i) {
        return table.get(steps[i]).name;
    }

    /** All of its words but the name, in the order in which they are sent. */
    @SuppressWarnings("unchecked")
    public W[] words(int i) {
        return (W[]) words[i];
    }

    /** Which of its words is its first key; -1: it has none. */
    public int keyAmongWords(int i) {
        boolean hasKey = !(keys[i] instanceof Several<?> several) || several.words.length > 0;
        return hasKey ? table.get(steps[i]).before.length - 1 : -1;
    }

    /** All of its words, the name first. */
    @SuppressWarnings("unchecked")
    public W[] line(int i) {
        return (W[]) lines[i];
    }

    @SuppressWarnings("unchecked")
    private W[] spelled(int i) {
        Step<W> step = table.get(steps[i]);
        W[] own = keys[i] instanceof Several<?> several ? (W[]) several.words() : null;
        int count = own == null ? 1 : own.length;
        W[] all = Arrays.copyOf(step.before, step.before.length + count + step.after.length);
        if (own == null) {
            all[step.before.length] = key(i);
        } else {
            System.arraycopy(own, 0, all, step.before.length, count);
        }
        System.arraycopy(step.after, 0, all, step.before.length + count, step.after.length);
        return all;
    }

    /** What a command with several keys has in place of one. */
    @SuppressWarnings("unchecked")
    public Several<W> several(int i) {
        return (Several<W>) keys[i];
    }
}
