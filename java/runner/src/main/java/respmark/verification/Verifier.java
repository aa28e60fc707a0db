package respmark.verification;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import respmark.clients.Unit;
import respmark.errors.WrongReply;
import respmark.workload.Walker;
import respmark.workload.WordType;
import respmark.workload.Workload;

/** Checks replies against the workload, before the first slice. */
public final class Verifier {
    private static final int SHOWN = 60;

    private final Workload workload;
    private final int commandsPerUnit;
    private final Object decodesTo;

    /** `decodesTo` is text or bytes; a value of the other type is a wrong reply. */
    public Verifier(Workload workload, int commandsPerUnit, Object decodesTo) {
        this.workload = workload;
        this.commandsPerUnit = commandsPerUnit;
        this.decodesTo = decodesTo;
    }

    /** A unit that raised an error: its first command, with the error as the cause. */
    public static final class Failed extends Exception {
        private final int first;

        Failed(int first, Exception cause) {
            super(cause);
            this.first = first;
        }

        public int first() {
            return first;
        }
    }

    /** Performs whole units until `commands` are done, checks every reply, and returns how many. */
    public long verify(Unit unit, Walker walker, int commands) throws Failed {
        long done = 0;
        for (int at = walker.first(0); done < commands; at = walker.after(at)) {
            check(at, perform(unit, at));
            done += commandsPerUnit;
        }
        return done;
    }

    private static List<?> perform(Unit unit, int at) throws Failed {
        try {
            return unit.replies(unit.perform(at));
        } catch (Exception error) {
            throw new Failed(at, error);
        }
    }

    private void check(int first, List<?> replies) {
        if (replies.size() != commandsPerUnit) {
            throw new WrongReply("%d commands were sent, %d replies came: the client lost count"
                    .formatted(commandsPerUnit, replies.size()));
        }
        for (int i = 0; i < commandsPerUnit; i++) {
            checkOne((int) (((long) first + i) % workload.length()), replies.get(i));
        }
    }

    private void checkOne(int command, Object reply) {
        if (reply instanceof Throwable error) {
            throw wrong(command, "must be no error, not " + error.getMessage());
        }
        switch (workload.name(command).toUpperCase(Locale.ROOT)) {
            case "GET" -> checkValue(command, workload.keyNumber(command), reply);
            case "MGET" -> checkValues(command, reply);
            case "LRANGE" -> checkElements(command, reply);
            case "HGETALL" -> checkFields(command, reply);
            case "SET", "MSET", "LTRIM" -> expect(command, "OK", reply);
            case "INCRBY", "LPUSH" -> expect(command, number(reply) > 0, "a number above 0", reply);
            case "SADD", "ZADD" -> expect(command, number(reply) == 0, "0", reply);
            case "EXPIRE" -> expect(command, number(reply) == 1, "1", reply);
            case "PING" -> expect(command, "PONG", reply);
            default -> {}
        }
    }

    private void expect(int command, boolean isRight, String expected, Object reply) {
        if (!isRight) {
            throw wrong(command, "must be %s, not %s".formatted(expected, show(reply)));
        }
    }

    /** The reply as a number, where true is 1; -1 if it is not a number. */
    private static long number(Object reply) {
        if (reply instanceof Boolean yes) {
            return yes ? 1 : 0;
        }
        return reply instanceof Number number ? number.longValue() : -1;
    }

    private void checkValues(int command, Object reply) {
        List<Integer> offsets = workload.keyOffsets(command);
        List<?> values = several(command, reply, offsets.size());
        for (int i = 0; i < offsets.size(); i++) {
            checkValue(command, workload.keyNumber(command) + offsets.get(i), values.get(i));
        }
    }

    /** Lists are at least as long as the range that is asked for. */
    private void checkElements(int command, Object reply) {
        List<String> ends = workload.literals(command);
        int count = Integer.parseInt(ends.get(1)) - Integer.parseInt(ends.get(0)) + 1;
        several(command, reply, count).forEach(value -> checkValue(command, workload.keyNumber(command), value));
    }

    private void checkFields(int command, Object reply) {
        List<?> values = reply instanceof Map<?, ?> map ? List.copyOf(map.values()) : List.of();
        several(command, values, workload.hashFields())
                .forEach(value -> checkValue(command, workload.keyNumber(command), value));
    }

    private List<?> several(int command, Object reply, int count) {
        expect(command, reply instanceof List<?> list && list.size() == count, count + " values", reply);
        return (List<?>) reply;
    }

    private void expect(int command, String expected, Object reply) {
        Object text = reply instanceof byte[] bytes ? WordType.TEXT.word(bytes, 0, bytes.length) : reply;
        if (!expected.equals(text)) {
            throw wrong(command, "must be %s, not %s".formatted(expected, show(reply)));
        }
    }

    private void checkValue(int command, long key, Object reply) {
        if (!workload.exists(key)) {
            if (reply != null) {
                throw wrong(command, "must be null, not " + show(reply));
            }
            return;
        }
        if (reply == null) {
            throw wrong(command, "must be a value, but the key does not exist: preload the target");
        }
        boolean isRight = reply instanceof byte[] bytes
                ? decodesTo.equals("bytes")
                        && isValue(command, bytes.length)
                        && Arrays.equals(bytes, workload.value(key, bytes.length, WordType.BYTES))
                : reply instanceof String text
                        && decodesTo.equals("text")
                        && isValue(command, text.length())
                        && text.equals(workload.value(key, text.length(), WordType.TEXT));
        if (!isRight) {
            throw wrong(command, "is not the value of its key: " + show(reply));
        }
    }

    private boolean isValue(int command, int size) {
        if (!workload.hasSize(size)) {
            throw wrong(command, "has %d bytes, which is no size of this workload".formatted(size));
        }
        return true;
    }

    private WrongReply wrong(int command, String problem) {
        return new WrongReply("the reply to %s %s".formatted(name(command), problem));
    }

    /** The command as messages show it. */
    public String name(int command) {
        return "command %d of the workload, %s".formatted(command, workload.line(command));
    }

    private static String show(Object reply) {
        String text =
                reply instanceof byte[] bytes ? WordType.TEXT.word(bytes, 0, bytes.length) : String.valueOf(reply);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
