package respmark.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** A section of a file, read a stretch at a time: reading it in order takes little memory. */
final class Column {
    private static final int STRETCH_BYTES = 1 << 16;

    private final FileChannel file;
    private final Header.Section section;
    private final ByteBuffer stretch = ByteBuffer.allocateDirect(STRETCH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long from;

    Column(FileChannel file, Header.Section section) {
        this.file = file;
        this.section = section;
        stretch.limit(0);
    }

    /** The unsigned byte at this index. */
    int byteAt(int index) {
        return Byte.toUnsignedInt(stretch.get(position(index)));
    }

    /** The unsigned 32-bit number at this index. */
    long numberAt(int index) {
        return Integer.toUnsignedLong(stretch.getInt(position((long) index * Integer.BYTES)));
    }

    /** The whole section. */
    byte[] bytes() {
        byte[] all = new byte[section.length()];
        for (int done = 0; done < all.length; done += stretch.limit()) {
            load(done);
            stretch.get(0, all, done, stretch.limit());
        }
        return all;
    }

    /** Position in the stretch of the section's byte `offset`; loads another stretch if need be. */
    private int position(long offset) {
        if (offset < from || offset >= from + stretch.limit()) {
            load(offset - offset % STRETCH_BYTES);
        }
        return (int) (offset - from);
    }

    private void load(long offset) {
        from = offset;
        stretch.clear().limit((int) Math.min(STRETCH_BYTES, section.length() - offset));
        try {
            while (stretch.hasRemaining() && file.read(stretch, section.offset() + offset + stretch.position()) >= 0) {
                // A read may return less than was asked for.
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
