package respmark.workload;

import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import respmark.errors.InvalidInput;

/** The commands of a workload file, and what their replies must be made of. */
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

    /** All of them, ready to be sent, and the first `more` again. */
    public <W> Commands<W> commands(Form<W> form, int more) {
        return new Commands<>(this, form, more);
    }

    /** Index in the mix of the command's kind. */
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

    /** The command's key, as it is sent; put together in a `keyBuffer`, so that making many leaves no garbage. */
    <W> W key(int command, Form<W> form, byte[] buffer) {
        int start = buffer.length;
        for (long rest = keyNumber(command); rest > 0 || buffer.length - start < header.keyDigits(); rest /= 10) {
            buffer[--start] = (byte) ('0' + rest % 10);
        }
        start -= keyPrefix.length;
        System.arraycopy(keyPrefix, 0, buffer, start, keyPrefix.length);
        return form.word(buffer, start, buffer.length - start);
    }

    byte[] keyBuffer() {
        return new byte[keyPrefix.length + Math.max(header.keyDigits(), MOST_DIGITS)];
    }

    /** The command's value; values that are equal are one object, and those that there are stand in `distinct`. */
    <W> W value(int command, Form<W> form, Distinct<W> distinct) {
        int size = (int) sizes.numberAt(command);
        long key = keyNumber(command);
        long same = start(key) << Integer.SIZE | size;
        W value = distinct.get(same);
        if (value == null) {
            value = value(key, size, form);
            distinct.put(same, value);
        }
        return value;
    }

    /** The first `size` bytes of the value of key number `key`. */
    public <W> W value(long key, int size, Form<W> form) {
        if (start(key) + size > block.length) {
            throw new InvalidInput("its block is too short for a value of %d bytes of key %d".formatted(size, key));
        }
        return form.word(block, (int) start(key), size);
    }

    private long start(long key) {
        return key * header.valueMultiplier() & ((1L << header.valueModulusBits()) - 1);
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
        StringBuilder line = new StringBuilder(name(command));
        for (Header.Argument argument : mix().get(kind(command)).arguments()) {
            line.append(' ').append(word(command, argument));
        }
        String whole = line.toString();
        return whole.length() <= SHOWN ? whole : whole.substring(0, SHOWN) + "…";
    }

    private String word(int command, Header.Argument argument) {
        if (argument.isKey()) {
            return key(command, Form.TEXT, keyBuffer());
        }
        return argument.isValue() ? value(command, Form.TEXT, new Distinct<>(Form.TEXT)) : argument.text();
    }
}
