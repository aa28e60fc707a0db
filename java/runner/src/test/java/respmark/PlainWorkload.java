package respmark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(HEADER.getBytes(StandardCharsets.UTF_8));
        for (int step : List.of(0, 1, 2, 3, 4, 5)) {
            file.write(step);
            file.write(0);
        }
        file.writeBytes("k0k1k2k3k4k5".getBytes(StandardCharsets.UTF_8));
        file.writeBytes("abcd".getBytes(StandardCharsets.UTF_8));
        return Files.write(folder.resolve("plain.workload"), file.toByteArray());
    }
}
