package respmark.workload;

import java.util.List;
import java.util.regex.Pattern;
import respmark.errors.Unsupported;

/**
 * The methods that every library has for commands; numbers, not an enum, so that the measured loop
 * switches on them.
 */
public final class Method {
    public static final byte GET = 0;
    public static final byte SET = 1;
    public static final byte PING = 2;
    public static final byte GETRANGE = 3;
    public static final byte MGET = 4;
    public static final byte MSET = 5;
    public static final byte EXPIRE = 6;
    public static final byte INCRBY = 7;
    public static final byte LPUSH = 8;
    public static final byte LTRIM = 9;
    public static final byte LRANGE = 10;
    public static final byte HGETALL = 11;
    public static final byte SADD = 12;
    public static final byte ZADD = 13;

    /** The forms of their commands, by number: k is a key, v a value, n a whole number, d another number. */
    private static final List<Pattern> FORMS = List.of(
            Pattern.compile("GET k"),
            Pattern.compile("SET kv"),
            Pattern.compile("PING "),
            Pattern.compile("GETRANGE knn"),
            Pattern.compile("MGET k+"),
            Pattern.compile("MSET (kv)+"),
            Pattern.compile("EXPIRE kn"),
            Pattern.compile("INCRBY kn"),
            Pattern.compile("LPUSH kv"),
            Pattern.compile("LTRIM knn"),
            Pattern.compile("LRANGE knn"),
            Pattern.compile("HGETALL k"),
            Pattern.compile("SADD kv"),
            Pattern.compile("ZADD k[nd]v"));

    private Method() {}

    static byte of(Header.Kind kind) {
        StringBuilder form = new StringBuilder(kind.name()).append(' ');
        kind.arguments().forEach(argument -> form.append(letter(argument)));
        for (byte method = 0; method < FORMS.size(); method++) {
            if (FORMS.get(method).matcher(form).matches()) {
                return method;
            }
        }
        throw new Unsupported(
                "no method here sends %s as the workload has it: leave the command out".formatted(kind.name()));
    }

    /** Whether the method takes all its words as one argument. */
    static boolean isOfMany(byte method) {
        return method == MGET || method == MSET;
    }

    private static char letter(Header.Argument argument) {
        if (argument.isKey() || argument.isValue()) {
            return argument.isKey() ? 'k' : 'v';
        }
        if (argument.text().matches("-?\\d{1,18}")) {
            return 'n';
        }
        return argument.text().matches("-?\\d+\\.\\d+") ? 'd' : 'x';
    }
}
