package respmark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A workload file of three commands a round: GET, SET, and one that names two keys. */
final class PlainWorkload {
    static final int COMMANDS = 6;

    private static final String HEADER = "{\"commands\": 6, \"key_bytes\": 2, \"values\": [3, 1], \"kinds\": ["
            + "{\"name\": \"GET\", \"arguments\": [\"key\"]}, {\"name\": \"SET\", \"arguments\": [\"key\", \"value\"]}, "
            + "{\"name\": \"MSET\", \"arguments\": [\"key\", \"value\", \"key\", \"value\"]}, "
            + "{\"name\": \"ZADD\", \"arguments\": [\"key\", {\"literal\": \"1.5\"}, \"value\"]}, "
            + "{\"name\": \"LTRIM\", \"arguments\": [\"key\", {\"literal\": \"-3\"}, {\"literal\": \"7\"}]}, "
            + "{\"name\": \"PING\", \"arguments\": []}], "
            + "\"steps\": [[0], [1, 0], [2, 0, 1], [3, 1], [4], [5]]}\n";

    private PlainWorkload() {}

    static Path in(Path folder) throws IOException {
        return write(folder.resolve("plain.workload"), HEADER, COMMANDS, "k0k1k2k3k4k5abcd");
    }

    /** Writes a workload of the first `commands` steps, one command each; `columns` has its keys, then its values. */
    static Path write(Path file, String header, int commands, String columns) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(header.getBytes(StandardCharsets.UTF_8));
        for (int step = 0; step < commands; step++) {
            content.write(step);
            content.write(0);
        }
        content.writeBytes(columns.getBytes(StandardCharsets.UTF_8));
        return Files.write(file, content.toByteArray());
    }
}
