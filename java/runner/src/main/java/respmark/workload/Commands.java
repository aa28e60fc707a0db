package respmark.workload;

import java.util.Arrays;
import java.util.List;

/**
 * A workload's commands, ready to be sent; W is a client's type for keys and values.
 *
 * <p>Walking through them must cost the client nothing. So they are columns, not objects: a byte
 * for the kind, a small key, made in the order in which it is walked, and one object for all equal
 * values. After the last command the first ones are repeated, so no unit wraps around.
 */
public final class Commands<W> {
    private final Workload workload;
    private final byte[] kinds;
    private final byte[] methodOfKind;
    private final long[][] numbersOfKind;
    private final double[] scoreOfKind;
    private final W[] keys;
    private final W[] values;
    /** The words of commands that name several keys; empty if there are no such commands. */
    private final W[][] words;

    /** All commands of the workload, and the first `more` of them again. */
    Commands(Workload workload, WordType<W> type, int more) {
        int length = workload.length();
        List<Header.Kind> mix = workload.mix();
        this.workload = workload;
        kinds = new byte[length + more];
        keys = type.array(length + more);
        values = type.array(length + more);
        methodOfKind = new byte[mix.size()];
        numbersOfKind = new long[mix.size()][];
        scoreOfKind = new double[mix.size()];
        boolean hasMany = false;
        for (int kind = 0; kind < mix.size(); kind++) {
            methodOfKind[kind] = Method.of(mix.get(kind));
            hasMany |= Method.isOfMany(methodOfKind[kind]);
            readNumbers(kind, mix.get(kind));
        }
        words = type.table(hasMany ? length + more : 0);
        materialise(type);
        for (int i = length; i < kinds.length; i++) {
            kinds[i] = kinds[i - length];
            keys[i] = keys[i - length];
            values[i] = values[i - length];
            if (hasMany) {
                words[i] = words[i - length];
            }
        }
    }

    private void readNumbers(int kind, Header.Kind of) {
        List<String> literals = of.arguments().stream()
                .filter(argument -> !argument.isKey() && !argument.isValue())
                .map(Header.Argument::text)
                .toList();
        if (methodOfKind[kind] == Method.ZADD) {
            scoreOfKind[kind] = Double.parseDouble(literals.get(0));
        } else {
            numbersOfKind[kind] = literals.stream().mapToLong(Long::parseLong).toArray();
        }
    }

    private void materialise(WordType<W> type) {
        boolean[] hasKey = new boolean[methodOfKind.length];
        boolean[] hasValue = new boolean[methodOfKind.length];
        boolean[] isOfMany = new boolean[methodOfKind.length];
        for (int kind = 0; kind < methodOfKind.length; kind++) {
            List<Header.Argument> arguments = workload.mix().get(kind).arguments();
            isOfMany[kind] = Method.isOfMany(methodOfKind[kind]);
            hasKey[kind] = !isOfMany[kind] && arguments.stream().anyMatch(Header.Argument::isKey);
            hasValue[kind] = !isOfMany[kind] && arguments.stream().anyMatch(Header.Argument::isValue);
        }
        byte[] buffer = workload.keyBuffer();
        Distinct<W> distinct = new Distinct<>(type);
        for (int i = 0; i < workload.length(); i++) {
            int kind = workload.kind(i);
            kinds[i] = (byte) kind;
            keys[i] = hasKey[kind] ? workload.key(workload.keyNumber(i), type, buffer) : null;
            values[i] = hasValue[kind] ? workload.value(i, 0, type, distinct) : null;
            if (isOfMany[kind]) {
                words[i] = words(i, type, buffer, distinct);
            }
        }
    }

    private W[] words(int command, WordType<W> type, byte[] buffer, Distinct<W> distinct) {
        List<Header.Argument> arguments =
                workload.mix().get(workload.kind(command)).arguments();
        W[] made = type.array(arguments.size());
        for (int i = 0; i < made.length; i++) {
            int offset = arguments.get(i).offset();
            made[i] = arguments.get(i).isKey()
                    ? workload.key(workload.keyNumber(command) + offset, type, buffer)
                    : workload.value(command, offset, type, distinct);
        }
        return made;
    }

    /** How many there are, including the repeated ones. */
    public int length() {
        return kinds.length;
    }

    /** Whether any command uses this method. */
    public boolean has(byte method) {
        return Arrays.binarySearch(sorted(methodOfKind), method) >= 0;
    }

    private static byte[] sorted(byte[] bytes) {
        byte[] copy = bytes.clone();
        Arrays.sort(copy);
        return copy;
    }

    public byte method(int command) {
        return methodOfKind[kind(command)];
    }

    public W key(int command) {
        return keys[command];
    }

    public W value(int command) {
        return values[command];
    }

    /** All words of a command that names several keys. */
    public W[] words(int command) {
        return words[command];
    }

    /** The first number of a command. */
    public long number(int command) {
        return numbersOfKind[kind(command)][0];
    }

    /** The second number of a command. */
    public long secondNumber(int command) {
        return numbersOfKind[kind(command)][1];
    }

    public double score(int command) {
        return scoreOfKind[kind(command)];
    }

    private int kind(int command) {
        return Byte.toUnsignedInt(kinds[command]);
    }
}
