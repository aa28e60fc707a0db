package respmark.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import respmark.contract.Json;
import respmark.errors.InvalidInput;

/** Reads a workload file; the contract describes its layout. */
public final class WorkloadFile {
    private static final String MAGIC = "RESPMARK";
    private static final int LAYOUT_VERSION = 2;
    /** Indexes into the file as 32-bit numbers, from its start. */
    private static final int VERSION_INDEX = 2;

    private static final int LENGTH_INDEX = 3;
    private static final int HEADER_OFFSET = 16;

    private WorkloadFile() {}

    /** Reads the workload; the file stays open, to be read again when replies are checked. */
    public static Workload read(String path) {
        try {
            return parse(FileChannel.open(Path.of(path)));
        } catch (NoSuchFileException error) {
            throw refused(path, "it does not exist: make the workload file first", error);
        } catch (IOException | UncheckedIOException | InvalidPathException error) {
            throw refused(path, "it cannot be read (" + error.getMessage() + "): make the workload file first", error);
        } catch (InvalidInput error) {
            throw refused(path, error.getMessage(), error);
        }
    }

    private static InvalidInput refused(String path, String reason, Exception error) {
        return new InvalidInput("workload file %s: %s".formatted(path, reason), error);
    }

    private static Workload parse(FileChannel file) throws IOException {
        if (file.size() < HEADER_OFFSET || !text(file, 0, MAGIC.length()).equals(MAGIC)) {
            throw new InvalidInput("it is not a workload file: it does not start with " + MAGIC);
        }
        Column preamble = new Column(file, new Header.Section(0, HEADER_OFFSET));
        long version = preamble.numberAt(VERSION_INDEX);
        if (version != LAYOUT_VERSION) {
            throw new InvalidInput(
                    "its layout is %d and this runner reads %d: use harness and runner of one checkout, and make the file again"
                            .formatted(version, LAYOUT_VERSION));
        }
        int length = (int) Math.min(preamble.numberAt(LENGTH_INDEX), Integer.MAX_VALUE);
        checkWithin(file, new Header.Section(HEADER_OFFSET, length));
        Header header = Header.parse(json(text(file, HEADER_OFFSET, length)));
        for (Header.Section section :
                new Header.Section[] {header.kinds(), header.keys(), header.sizes(), header.block()}) {
            checkWithin(file, section);
        }
        return new Workload(header, file);
    }

    private static Object json(String text) {
        try {
            return Json.parse(text);
        } catch (Json.NotJson error) {
            throw new InvalidInput("its header is not JSON: " + error.getMessage(), error);
        }
    }

    private static String text(FileChannel file, int offset, int length) {
        return new String(new Column(file, new Header.Section(offset, length)).bytes(), StandardCharsets.UTF_8);
    }

    private static void checkWithin(FileChannel file, Header.Section section) throws IOException {
        long end = (long) section.offset() + section.length();
        if (end > file.size()) {
            throw new InvalidInput(
                    "it is cut off: it has %,d bytes, and a part of it ends at %,d".formatted(file.size(), end));
        }
    }
}
