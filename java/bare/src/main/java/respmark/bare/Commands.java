package respmark.bare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Keys and values of the workload file's commands; a command without a value is a GET, with one a SET. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Commands(String[] keys, String[] values, int count, int part, int parts) {
    private static final int LENGTH_OFFSET = 12;
    private static final int HEADER_OFFSET = 16;

    static Commands read(Map<String, Object> workload) throws IOException {
        byte[] content = Files.readAllBytes(Path.of((String) workload.get("path")));
        ByteBuffer file = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        String json = new String(content, HEADER_OFFSET, file.getInt(LENGTH_OFFSET), StandardCharsets.UTF_8);
        Map<String, Object> header = Bare.object(json);
        int count = Bare.number(header, "commands", 0);
        int kinds = offset(header, "kinds");
        int numbers = offset(header, "keys");
        int sizes = offset(header, "sizes");
        int block = offset(header, "block");
        long multiplier = ((Number) header.get("value_multiplier")).longValue();
        long mask = (1L << Bare.number(header, "value_modulus_bits", 0)) - 1;
        String prefix = (String) header.get("key_prefix");
        int digits = Bare.number(header, "key_digits", 1);
        String[] keys = new String[count];
        String[] values = new String[count];
        for (int i = 0; i < count; i++) {
            long key = Integer.toUnsignedLong(file.getInt(numbers + Integer.BYTES * i));
            String number = Long.toString(key);
            keys[i] = prefix + "0".repeat(Math.max(digits - number.length(), 0)) + number;
            if (isSet(header, content[kinds + i])) {
                int start = block + (int) (key * multiplier & mask);
                int size = file.getInt(sizes + Integer.BYTES * i);
                values[i] = new String(content, start, size, StandardCharsets.ISO_8859_1);
            }
        }
        return new Commands(keys, values, count, Bare.number(workload, "part", 0), Bare.number(workload, "parts", 1));
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
        return Bare.number(Bare.object(header, column), "offset", 0);
    }

    /** Where walker `walker` of `walkers` in this process begins. */
    int first(int walker, int walkers) {
        return (int) ((long) (part * walkers + walker) * count / ((long) parts * walkers));
    }

    /** The command after this one. */
    int after(int at) {
        return at + 1 == count ? 0 : at + 1;
    }
}
