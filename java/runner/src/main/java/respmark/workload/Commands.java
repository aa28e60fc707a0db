package respmark.workload;

import java.util.List;

/**
 * A workload's commands, ready to be sent; W is what keys and values are for a client.
 *
 * <p>Walking through them must cost the client nothing. So they are columns and no objects of their own: a byte for the
 * kind, a small key, made in the order in which it is walked, and one object for all values that are equal. Behind the
 * last command the first ones come again, so that no unit wraps around.
 */
public final class Commands<W> {
    /** Sent by the library's own `get(key)`. */
    public static final byte GET = 0;
    /** Sent by the library's own `set(key, value)`. */
    public static final byte SET = 1;
    /** Sent by what the library's own methods are made of: name and words. */
    public static final byte OTHER = 2;

    /** One word of a kind of command. */
    private interface Word<W> {
        W of(int command);
    }

    private final Workload workload;
    private final byte[] kinds;
    private final byte[] methodOfKind;
    private final W[] keys;
    private final W[] values;
    private final List<List<Word<W>>> words;

    /** All commands of the workload, and the first `more` of them again. */
    Commands(Workload workload, Form<W> form, int more) {
        int length = workload.length();
        this.workload = workload;
        kinds = new byte[length + more];
        keys = form.array(length + more);
        values = form.array(length + more);
        words = workload.mix().stream()
                .map(kind -> kind.arguments().stream()
                        .map(argument -> word(argument, form))
                        .toList())
                .toList();
        methodOfKind = new byte[workload.mix().size()];
        materialise(form);
        for (int i = length; i < kinds.length; i++) {
            kinds[i] = kinds[i - length];
            keys[i] = keys[i - length];
            values[i] = values[i - length];
        }
    }

    private Word<W> word(Header.Argument argument, Form<W> form) {
        if (argument.isKey()) {
            return command -> keys[command];
        }
        if (argument.isValue()) {
            return command -> values[command];
        }
        W text = form.word(argument.text());
        return command -> text;
    }

    private void materialise(Form<W> form) {
        boolean[] hasKey = new boolean[methodOfKind.length];
        boolean[] hasValue = new boolean[methodOfKind.length];
        for (int kind = 0; kind < methodOfKind.length; kind++) {
            List<Header.Argument> arguments = workload.mix().get(kind).arguments();
            methodOfKind[kind] = method(workload.mix().get(kind));
            hasKey[kind] = arguments.stream().anyMatch(Header.Argument::isKey);
            hasValue[kind] = arguments.stream().anyMatch(Header.Argument::isValue);
        }
        byte[] buffer = workload.keyBuffer();
        Distinct<W> distinct = new Distinct<>(form);
        for (int i = 0; i < workload.length(); i++) {
            int kind = workload.kind(i);
            kinds[i] = (byte) kind;
            keys[i] = hasKey[kind] ? workload.key(i, form, buffer) : null;
            values[i] = hasValue[kind] ? workload.value(i, form, distinct) : null;
        }
    }

    private static byte method(Header.Kind kind) {
        return switch (kind.name()) {
            case "GET" -> GET;
            case "SET" -> SET;
            default -> OTHER;
        };
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

    /** The names of all kinds of commands. */
    public List<String> names() {
        return workload.mix().stream().map(Header.Kind::name).toList();
    }

    /** Which kind of command this is. */
    public int kind(int command) {
        return Byte.toUnsignedInt(kinds[command]);
    }

    /** How many words follow the command's name. */
    public int words(int command) {
        return words.get(kind(command)).size();
    }

    /** One of the words that follow the command's name. */
    public W word(int command, int number) {
        return words.get(kind(command)).get(number).of(command);
    }
}
