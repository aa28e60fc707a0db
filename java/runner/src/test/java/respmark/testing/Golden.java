package respmark.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import respmark.contract.Json;

/** The contract's golden examples, which every runner's tests read. */
public final class Golden {
    private static final Path FOLDER =
            Path.of("../../harness/contract/golden").toAbsolutePath().normalize();

    private Golden() {}

    public static Path path(String name) {
        return FOLDER.resolve(name);
    }

    public static String workload() {
        return path("golden.workload").toString();
    }

    /** The workload that has every command. */
    public static String commands() {
        return path("commands.workload").toString();
    }

    public static String text(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> json(String name) throws Json.NotJson {
        return (Map<String, Object>) Json.parse(text(path(name)));
    }

    /** The golden examples of a folder. */
    public static List<Path> files(String folder) throws IOException {
        try (Stream<Path> files = Files.list(path(folder))) {
            return files.sorted().toList();
        }
    }
}
