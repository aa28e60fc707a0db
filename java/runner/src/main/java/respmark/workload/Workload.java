package respmark.workload;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import respmark.errors.InvalidTrial;

/** The commands of a workload file, and what their replies must be made of. */
public final class Workload {
    private static final int SHOWN = 60;

    private final Header header;
    private final byte[] content;
    private final ByteBuffer columns;
    private final byte[] keyPrefix;

    Workload(Header header, byte[] content) {
        this.header = header;
        this.content = content;
        this.columns = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        this.keyPrefix = header.keyPrefix().getBytes(StandardCharsets.UTF_8);
    }

    /** How many commands it has. */
    public int length() {
        return header.commands();
    }

    /** The names of its commands, in the order of the mix. */
    public List<String> names() {
        return header.mix().stream().map(Header.Kind::name).toList();
    }

    /** Index in the mix of the command's kind. */
    public int kind(int command) {
        int kind = Byte.toUnsignedInt(content[header.kinds().offset() + command]);
        if (kind >= header.mix().size()) {
            throw new InvalidTrial(
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
        return Integer.toUnsignedLong(columns.getInt(header.keys().offset() + Integer.BYTES * command));
    }

    /** The command's arguments: all its words but the name. */
    public <W> W[] arguments(int command, Form<W> form) {
        List<Header.Argument> arguments = header.mix().get(kind(command)).arguments();
        W[] words = form.array(arguments.size());
        for (int i = 0; i < words.length; i++) {
            words[i] = word(command, arguments.get(i), form);
        }
        return words;
    }

    private <W> W word(int command, Header.Argument argument, Form<W> form) {
        return switch (argument.kind()) {
            case "key" -> {
                byte[] key = key(keyNumber(command));
                yield form.word(key, 0, key.length);
            }
            case "value" ->
                value(keyNumber(command), columns.getInt(header.sizes().offset() + Integer.BYTES * command), form);
            default -> form.word(argument.text());
        };
    }

    /** The key with this number, as it is sent. */
    byte[] key(long number) {
        int digits = Math.max(header.keyDigits(), Long.toString(number).length());
        byte[] key = Arrays.copyOf(keyPrefix, keyPrefix.length + digits);
        long rest = number;
        for (int i = key.length - 1; i >= keyPrefix.length; i--) {
            key[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return key;
    }

    /** The first `size` bytes of the value of key number `key`. */
    public <W> W value(long key, int size, Form<W> form) {
        long start = key * header.valueMultiplier() & ((1L << header.valueModulusBits()) - 1);
        if (start + size > header.block().length()) {
            throw new InvalidTrial("its block is too short for a value of %d bytes of key %d".formatted(size, key));
        }
        return form.word(content, (int) (header.block().offset() + start), size);
    }

    /** Whether the key is there before the trial. */
    public boolean exists(long key) {
        return key < header.preloadKeys();
    }

    /** Whether a value may have so many bytes. */
    public boolean hasSize(int bytes) {
        return header.valueSizeMin() <= bytes && bytes <= header.valueSizeMax();
    }

    /** The command as people write it. */
    public String line(int command) {
        String line = String.join(" ", arguments(command, Form.TEXT));
        String whole = (name(command) + " " + line).strip();
        return whole.length() <= SHOWN ? whole : whole.substring(0, SHOWN) + "…";
    }
}
