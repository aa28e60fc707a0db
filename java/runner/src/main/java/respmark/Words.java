package respmark;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** What keys and values are: String or byte[]. Each is flat in memory. */
public record Words<W>(Class<W> type, Function<byte[], W> of) {
    public static final Words<String> TEXT =
            new Words<>(String.class, ascii -> new String(ascii, StandardCharsets.US_ASCII));
    public static final Words<byte[]> BYTES = new Words<>(byte[].class, ascii -> ascii);

    W read(InputStream file, int length) throws IOException {
        return of.apply(file.readNBytes(length));
    }

    W[] read(InputStream file, int length, int count) throws IOException {
        W[] words = array(count);
        for (int i = 0; i < count; i++) {
            words[i] = read(file, length);
        }
        return words;
    }

    @SuppressWarnings("unchecked")
    W[] array(int length) {
        return (W[]) Array.newInstance(type, length);
    }
}
