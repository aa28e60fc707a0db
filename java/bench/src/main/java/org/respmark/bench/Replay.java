package org.respmark.bench;

import java.io.InputStream;

/** Returns the same bytes over and over, at most as many at a time as are asked for. */
public final class Replay extends InputStream {
    private final byte[] content;
    private int place;

    /** Replays {@code content}. */
    public Replay(byte[] content) {
        super();
        this.content = content.clone();
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        read(one, 0, 1);
        return one[0];
    }

    @Override
    public int read(byte[] into, int from, int length) {
        int count = Math.min(length, content.length - place);
        System.arraycopy(content, place, into, from, count);
        place = place + count == content.length ? 0 : place + count;
        return count;
    }
}
