package respmark.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import respmark.contract.Event;
import respmark.contract.Json;

/** A workload file of GETs and SETs and nothing else: all that the bare loops know. */
public final class PlainWorkload {
    private static final int COMMANDS = 60;
    private static final int HEADER_OFFSET = 16;
    private static final int HEADER_BYTES = 2048;
    private static final int BLOCK_BYTES = 512;
    private static final int SIZE = 64;

    private PlainWorkload() {}

    /** Writes the file into the folder; every third command is a SET. */
    public static String write(Path folder) throws IOException {
        int kinds = HEADER_OFFSET + HEADER_BYTES;
        int keys = kinds + COMMANDS + 2;
        int sizes = keys + COMMANDS * Integer.BYTES;
        int block = sizes + COMMANDS * Integer.BYTES;
        byte[] header = Json.line(header(kinds, keys, sizes, block)).getBytes(StandardCharsets.UTF_8);
        ByteBuffer file = ByteBuffer.allocate(block + BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.put("RESPMARK".getBytes(StandardCharsets.US_ASCII))
                .putInt(2)
                .putInt(header.length)
                .put(header);
        for (int i = 0; i < COMMANDS; i++) {
            boolean isSet = i % 3 == 2;
            file.put(kinds + i, (byte) (isSet ? 1 : 0));
            file.putInt(keys + i * Integer.BYTES, i % 10);
            file.putInt(sizes + i * Integer.BYTES, isSet ? SIZE : 0);
        }
        for (int i = 0; i < BLOCK_BYTES; i++) {
            file.put(block + i, (byte) ('a' + i % 26));
        }
        return Files.write(folder.resolve("plain.workload"), file.array()).toString();
    }

    private static Map<String, Object> header(int kinds, int keys, int sizes, int block) {
        Map<String, Object> key = Map.of("kind", "key");
        Map<String, Object> value = Map.of("kind", "value");
        return Event.ordered(
                "schema_version",
                2,
                "name",
                "plain",
                "seed",
                1,
                "commands",
                COMMANDS,
                "preload_keys",
                10,
                "key_prefix",
                "key:",
                "key_digits",
                7,
                "value_multiplier",
                7,
                "value_modulus_bits",
                8,
                "value_size_min",
                1,
                "value_size_max",
                SIZE,
                "hash_fields",
                1,
                "mix",
                List.of(
                        Map.of("name", "GET", "arguments", List.of(key)),
                        Map.of("name", "SET", "arguments", List.of(key, value))),
                "kinds",
                Map.of("offset", kinds, "length", COMMANDS),
                "keys",
                Map.of("offset", keys, "length", COMMANDS * Integer.BYTES),
                "sizes",
                Map.of("offset", sizes, "length", COMMANDS * Integer.BYTES),
                "block",
                Map.of("offset", block, "length", BLOCK_BYTES));
    }
}
