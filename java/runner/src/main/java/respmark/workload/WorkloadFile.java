package respmark.workload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import respmark.contract.Json;
import respmark.errors.InvalidInput;

/** Reads a workload file; its layout stands in the contract's page. */
public final class WorkloadFile {
    private static final String MAGIC = "RESPMARK";
    private static final int LAYOUT_VERSION = 2;
    private static final int VERSION_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;
    private static final int HEADER_OFFSET = 16;

    private WorkloadFile() {}

    /** The workload of the file. */
    public static Workload read(String path) {
        try {
            return parse(content(path));
        } catch (InvalidInput error) {
            throw new InvalidInput("workload file %s: %s".formatted(path, error.getMessage()), error);
        }
    }

    private static byte[] content(String path) {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (NoSuchFileException error) {
            throw new InvalidInput("it does not exist: make the workload file first", error);
        } catch (IOException | InvalidPathException error) {
            throw new InvalidInput(
                    "it cannot be read (" + error.getMessage() + "): make the workload file first", error);
        }
    }

    private static Workload parse(byte[] content) {
        ByteBuffer file = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (content.length < HEADER_OFFSET || !text(content, 0, MAGIC.length()).equals(MAGIC)) {
            throw new InvalidInput("it is not a workload file: it does not start with " + MAGIC);
        }
        int version = file.getInt(VERSION_OFFSET);
        if (version != LAYOUT_VERSION) {
            throw new InvalidInput(
                    "its layout is %d and this runner reads %d: use harness and runner of one checkout, and make the file again"
                            .formatted(version, LAYOUT_VERSION));
        }
        int length = file.getInt(LENGTH_OFFSET);
        checkWithin(content, new Header.Section(HEADER_OFFSET, Math.max(length, 0)));
        Header header = Header.parse(json(text(content, HEADER_OFFSET, length)));
        for (Header.Section section :
                new Header.Section[] {header.kinds(), header.keys(), header.sizes(), header.block()}) {
            checkWithin(content, section);
        }
        return new Workload(header, content);
    }

    private static Object json(String text) {
        try {
            return Json.parse(text);
        } catch (Json.NotJson error) {
            throw new InvalidInput("its header is not JSON: " + error.getMessage(), error);
        }
    }

    private static String text(byte[] content, int offset, int length) {
        return new String(content, offset, length, StandardCharsets.UTF_8);
    }

    private static void checkWithin(byte[] content, Header.Section section) {
        long end = (long) section.offset() + section.length();
        if (end > content.length) {
            throw new InvalidInput(
                    "it is cut off: it has %,d bytes, and a part of it ends at %,d".formatted(content.length, end));
        }
    }
}
