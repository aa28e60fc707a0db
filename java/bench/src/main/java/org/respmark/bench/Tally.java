package org.respmark.bench;

import java.util.Arrays;

/**
 * Takes replies as a user's program does. In the timed part it adds up lengths and keeps the last
 * reply; after each iteration, outside the timed part, it compares both with what they must be.
 */
public final class Tally {
    private static final String OK = "OK";

    private long values;
    private long valueBytes;
    private long statuses;
    private long statusChars;
    private int lastNumber;
    private byte[] lastValue;
    private String lastStatus;

    /** Takes the reply to a GET of key {@code number}; null fails at once. */
    public void value(int number, byte[] reply) {
        values++;
        valueBytes += reply.length;
        lastNumber = number;
        lastValue = reply;
    }

    /** Takes the reply to a SET. */
    public void status(String reply) {
        statuses++;
        statusChars += reply.length();
        lastStatus = reply;
    }

    /** Takes replies to GETs from this key on, or to SETs; returns the number of the next key. */
    public int replies(int first, Object... replies) {
        int number = first;
        for (Object reply : replies) {
            if (reply instanceof byte[] value) {
                value(number, value);
            } else {
                status((String) reply);
            }
            number = Data.after(number);
        }
        return number;
    }

    /** Fails the benchmark if a reply was wrong or if there was none. */
    public void check() {
        if (values + statuses == 0) {
            throw new IllegalStateException("no reply came in this iteration");
        }
        if (valueBytes != values * Data.VALUE_BYTES || statusChars != statuses * OK.length()) {
            throw new IllegalStateException(
                    "wrong replies: %d values of %d bytes in all, %d statuses of %d characters in all"
                            .formatted(values, valueBytes, statuses, statusChars));
        }
        if (lastValue != null && !Arrays.equals(lastValue, Data.value(lastNumber))) {
            throw new IllegalStateException("GET of key " + lastNumber + " returned a wrong value");
        }
        if (lastStatus != null && !lastStatus.equals(OK)) {
            throw new IllegalStateException("SET returned `" + lastStatus + "`");
        }
        values = 0;
        valueBytes = 0;
        statuses = 0;
        statusChars = 0;
        lastValue = null;
        lastStatus = null;
    }
}
