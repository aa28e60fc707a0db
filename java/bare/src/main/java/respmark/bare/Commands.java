package respmark.bare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keys and values of the workload file's commands; a command without a value is a GET, one with a
 * value a SET. Equal values are one object; after the last command the first ones are repeated, so
 * no batch wraps around.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Commands(String[] keys, String[] values, int count) {
    private static final int LENGTH_OFFSET = 12;
    private static final int HEADER_OFFSET = 16;

    static Commands read(String path, int depth) throws IOException {
        byte[] content = Files.readAllBytes(Path.of(path));
        ByteBuffer file = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        String json = new String(content, HEADER_OFFSET, file.getInt(LENGTH_OFFSET), StandardCharsets.UTF_8);
        Map<String, Object> header = Json.object(json);
        int count = (int) number(header, "commands");
        int kinds = offset(header, "kinds");
        int numbers = offset(header, "keys");
        int sizes = offset(header, "sizes");
        int block = offset(header, "block");
        long multiplier = number(header, "value_multiplier");
        long mask = (1L << number(header, "value_modulus_bits")) - 1;
        String prefix = (String) header.get("key_prefix");
        int digits = (int) number(header, "key_digits");
        String[] keys = new String[count + depth];
        String[] values = new String[count + depth];
        Map<Long, String> distinct = new HashMap<>();
        for (int i = 0; i < keys.length; i++) {
            int at = i % count;
            long key = Integer.toUnsignedLong(file.getInt(numbers + Integer.BYTES * at));
            String number = Long.toString(key);
            keys[i] = prefix + "0".repeat(Math.max(digits - number.length(), 0)) + number;
            if (isSet(header, content[kinds + at])) {
                long start = key * multiplier & mask;
                int size = file.getInt(sizes + Integer.BYTES * at);
                values[i] = distinct.computeIfAbsent(
                        start << Integer.SIZE | size,
                        same -> new String(content, (int) (block + start), size, StandardCharsets.ISO_8859_1));
            }
        }
        return new Commands(keys, values, count);
    }

    private static boolean isSet(Map<String, Object> header, int kind) {
        Map<?, ?> command = (Map<?, ?>) ((List<?>) header.get("mix")).get(kind);
        return switch ((String) command.get("name")) {
            case "GET" -> false;
            case "SET" -> true;
            default -> throw Bare.fail("the bare loops know GET and SET only: use a workload of these");
        };
    }

    private static int offset(Map<String, Object> header, String column) {
        return ((Number) ((Map<?, ?>) header.get(column)).get("offset")).intValue();
    }

    private static long number(Map<String, Object> header, String name) {
        return ((Number) header.get(name)).longValue();
    }

    /** The command that comes `commands` after this one. */
    int after(int at, int commands) {
        int next = at + commands % count;
        return next >= count ? next - count : next;
    }
}
