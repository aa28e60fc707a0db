package respmark.workload;

import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import respmark.errors.InvalidInput;

/** The commands of a workload file, and what their replies must consist of. */
public final class Workload {
    private static final int SHOWN = 60;
    private static final int MOST_DIGITS = 10;

    private final Header header;
    private final Column kinds;
    private final Column keys;
    private final Column sizes;
    private final byte[] block;
    private final byte[] keyPrefix;

    Workload(Header header, FileChannel file) {
        this.header = header;
        kinds = new Column(file, header.kinds());
        keys = new Column(file, header.keys());
        sizes = new Column(file, header.sizes());
        block = new Column(file, header.block()).bytes();
        keyPrefix = header.keyPrefix().getBytes(StandardCharsets.UTF_8);
    }

    /** How many commands it has. */
    public int length() {
        return header.commands();
    }

    List<Header.Kind> mix() {
        return header.mix();
    }

    /** All commands, ready to be sent, with the first `more` of them repeated. */
    public <W> Commands<W> commands(WordType<W> type, int more) {
        return new Commands<>(this, type, more);
    }

    /** The command's kind, as an index into the mix. */
    public int kind(int command) {
        int kind = kinds.byteAt(command);
        if (kind >= header.mix().size()) {
            throw new InvalidInput(
                    "its command %d is of kind %d, which its mix does not have".formatted(command, kind));
        }
        return kind;
    }

    /** The command's name. */
    public String name(int command) {
        return header.mix().get(kind(command)).name();
    }

    /** Number of the command's key. */
    public long keyNumber(int command) {
        return keys.numberAt(command);
    }

    /** The key with this number, as it is sent; built in a `keyBuffer`, so it leaves no garbage. */
    <W> W key(long number, WordType<W> type, byte[] buffer) {
        int start = buffer.length;
        for (long rest = number; rest > 0 || buffer.length - start < header.keyDigits(); rest /= 10) {
            buffer[--start] = (byte) ('0' + rest % 10);
        }
        start -= keyPrefix.length;
        System.arraycopy(keyPrefix, 0, buffer, start, keyPrefix.length);
        return type.word(buffer, start, buffer.length - start);
    }

    byte[] keyBuffer() {
        return new byte[keyPrefix.length + Math.max(header.keyDigits(), MOST_DIGITS)];
    }

    /**
     * The value of the key `offset` after the command's key; equal values are one object, which is
     * kept in `distinct`.
     */
    <W> W value(int command, int offset, WordType<W> type, Distinct<W> distinct) {
        int size = (int) sizes.numberAt(command);
        long key = keyNumber(command) + offset;
        long same = start(key) << Integer.SIZE | size;
        W value = distinct.get(same);
        if (value == null) {
            value = value(key, size, type);
            distinct.put(same, value);
        }
        return value;
    }

    /** The first `size` bytes of the value of key number `key`. */
    public <W> W value(long key, int size, WordType<W> type) {
        if (start(key) + size > block.length) {
            throw new InvalidInput("its block is too short for a value of %d bytes of key %d".formatted(size, key));
        }
        return type.word(block, (int) start(key), size);
    }

    private long start(long key) {
        return key * header.valueMultiplier() & ((1L << header.valueModulusBits()) - 1);
    }

    /** Whether the key exists before the trial. */
    public boolean exists(long key) {
        return key < header.preloadKeys();
    }

    /** Whether a value may have this many bytes. */
    public boolean hasSize(int bytes) {
        return header.valueSizeMin() <= bytes && bytes <= header.valueSizeMax();
    }

    /** How many fields a hash has. */
    public int hashFields() {
        return header.hashFields();
    }

    /** The offsets of the keys that the command names, relative to its own key. */
    public List<Integer> keyOffsets(int command) {
        return arguments(command)
                .filter(Header.Argument::isKey)
                .map(Header.Argument::offset)
                .toList();
    }

    /** The words of the command that are literals. */
    public List<String> literals(int command) {
        return arguments(command)
                .map(Header.Argument::text)
                .filter(Objects::nonNull)
                .toList();
    }

    private Stream<Header.Argument> arguments(int command) {
        return mix().get(kind(command)).arguments().stream();
    }

    /** The command's name and all its words. */
    public List<String> words(int command) {
        return Stream.concat(Stream.of(name(command)), arguments(command).map(argument -> word(command, argument)))
                .toList();
    }

    /** The command as people write it. */
    public String line(int command) {
        String whole = String.join(" ", words(command));
        return whole.length() <= SHOWN ? whole : whole.substring(0, SHOWN) + "…";
    }

    private String word(int command, Header.Argument argument) {
        long key = keyNumber(command) + argument.offset();
        if (argument.isKey()) {
            return key(key, WordType.TEXT, keyBuffer());
        }
        return argument.isValue() ? value(key, (int) sizes.numberAt(command), WordType.TEXT) : argument.text();
    }
}
