package org.respmark.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Keys and their values, made before anything is measured. */
public final class Data {
    /** Number of keys; each has a different value, so a reply for another key is noticed. */
    public static final int KEYS = 1_000;

    /** Bytes of every value: the mean of the suite's workload. */
    public static final int VALUE_BYTES = 1_024;

    private static final byte[][] NAMES = new byte[KEYS][];
    private static final byte[][] VALUES = new byte[KEYS][];

    static {
        for (int number = 0; number < KEYS; number++) {
            NAMES[number] = "respmark:bench:%06d".formatted(number).getBytes(StandardCharsets.US_ASCII);
            VALUES[number] = valueOf(number);
        }
    }

    private Data() {}

    /** Returns a key. */
    public static byte[] key(int number) {
        return NAMES[number];
    }

    /** Returns the value that belongs to a key. */
    public static byte[] value(int number) {
        return VALUES[number];
    }

    /** Returns the number after this one; the first one follows the last. */
    public static int after(int number) {
        return number + 1 == KEYS ? 0 : number + 1;
    }

    /** Fails if so many commands of one kind, GET or SET, do not have so many bytes. */
    public static void mustHaveLength(long commands, long bytes) {
        int get = "*2\r\n$3\r\nGET\r\n$21\r\n".length() + 21 + 2;
        int set = "*3\r\n$3\r\nSET\r\n$21\r\n".length() + 21 + 2 + "$1024\r\n".length() + VALUE_BYTES + 2;
        if (commands == 0 || (bytes != commands * get && bytes != commands * set)) {
            throw new IllegalStateException("%d commands have %d bytes".formatted(commands, bytes));
        }
    }

    /** Returns a server's replies to a GET of every key, in order. */
    public static byte[] bulkReplies() {
        ByteArrayOutputStream replies = new ByteArrayOutputStream(KEYS * (VALUE_BYTES + 9));
        for (byte[] value : VALUES) {
            replies.writeBytes(("$" + value.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            replies.writeBytes(value);
            replies.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return replies.toByteArray();
    }

    private static byte[] valueOf(int number) {
        byte[] value = new byte[VALUE_BYTES];
        for (int place = 0; place < VALUE_BYTES; place++) {
            value[place] = (byte) ('a' + (number * 31 + place * 7 + number / 26) % 26);
        }
        System.arraycopy("%06d".formatted(number).getBytes(StandardCharsets.US_ASCII), 0, value, 0, 6);
        return value;
    }
}
