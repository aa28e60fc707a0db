package respmark.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import respmark.errors.InvalidInput;

/**
 * One JSON object, read field by field; fields that were not taken are refused at the end. Every
 * message names the field.
 */
public final class Fields {
    private static final int LONGEST = 60;

    private final String where;
    private final Map<String, Object> left;
    private final List<String> known = new ArrayList<>();

    public Fields(Object value, String where) {
        if (!(value instanceof Map<?, ?> fields)) {
            throw refusal(where, "must be an object, not " + show(value));
        }
        this.where = where;
        this.left = new LinkedHashMap<>();
        fields.forEach((name, field) -> left.put((String) name, field));
    }

    /** The field's value; refused if it is missing. */
    public <T> T take(String name, BiFunction<Object, String, T> read) {
        known.add(name);
        if (!left.containsKey(name)) {
            throw refusal(path(name), "is missing");
        }
        return read.apply(left.remove(name), path(name));
    }

    /** The field's value, or its default if it is missing. */
    public <T> T take(String name, BiFunction<Object, String, T> read, T absent) {
        if (left.containsKey(name)) {
            return take(name, read);
        }
        known.add(name);
        return absent;
    }

    /** The field's value, or null if it is missing or null. */
    public <T> T takeNullable(String name, BiFunction<Object, String, T> read) {
        return take(name, (value, path) -> value == null ? null : read.apply(value, path), null);
    }

    public String path(String name) {
        return where + "." + name;
    }

    /** Refuses the fields that were not taken. */
    public void finish() {
        left.keySet().stream().findFirst().ifPresent(name -> {
            throw refusal(path(name), "is unknown; known are " + String.join(", ", known));
        });
    }

    /** The value in one line of standard input. */
    static Object json(String line, String where) {
        try {
            return Json.parse(line);
        } catch (Json.NotJson error) {
            throw refusal(where, "is not one line of JSON: " + error.getMessage());
        }
    }

    public static InvalidInput refusal(String where, String problem) {
        return new InvalidInput(where + " " + problem);
    }

    /** Text that is not empty. */
    public static String text(Object value, String where) {
        if (value instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw refusal(where, "must be a text that is not empty, not " + show(value));
    }

    /** Text, empty or not. */
    public static String anyText(Object value, String where) {
        if (value instanceof String text) {
            return text;
        }
        throw refusal(where, "must be a text, not " + show(value));
    }

    /** A text that no message shows. */
    public static String secret(Object value, String where) {
        if (value instanceof String text) {
            return text;
        }
        throw refusal(where, "must be a text");
    }

    public static Boolean flag(Object value, String where) {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw refusal(where, "must be true or false, not " + show(value));
    }

    public static List<?> list(Object value, String where) {
        if (value instanceof List<?> items) {
            return items;
        }
        throw refusal(where, "must be a list, not " + show(value));
    }

    /** Whole numbers from `least` to `most`. */
    public static BiFunction<Object, String, Integer> whole(int least, int most) {
        return (value, where) -> (int) number(value, where, least, most);
    }

    /** Whole numbers from `least` on. */
    public static BiFunction<Object, String, Integer> whole(int least) {
        return whole(least, Integer.MAX_VALUE);
    }

    /** 64-bit whole numbers from `least` on. */
    public static BiFunction<Object, String, Long> big(long least) {
        return (value, where) -> number(value, where, least, Long.MAX_VALUE);
    }

    private static long number(Object value, String where, long least, long most) {
        boolean isWhole = value instanceof Integer || value instanceof Long;
        if (!isWhole || ((Number) value).longValue() < least || ((Number) value).longValue() > most) {
            throw refusal(where, "must be a whole number from %d to %d, not %s".formatted(least, most, show(value)));
        }
        return ((Number) value).longValue();
    }

    /** One of these texts. */
    public static BiFunction<Object, String, String> oneOf(List<String> choices) {
        return (value, where) -> {
            if (value instanceof String text && choices.contains(text)) {
                return text;
            }
            throw refusal(where, "must be one of %s, not %s".formatted(String.join(", ", choices), show(value)));
        };
    }

    /** The value as messages show it, shortened. */
    public static String show(Object value) {
        String text = value instanceof String words ? '"' + words + '"' : String.valueOf(value);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
