package respmark.workload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A client's type for words: text or bytes. Every word is a copy, flat in memory. */
public interface WordType<W> {
    /** Java stores ASCII text as one byte per character. */
    WordType<String> TEXT = new WordType<>() {
        @Override
        public String word(byte[] from, int start, int length) {
            return new String(from, start, length, StandardCharsets.UTF_8);
        }

        @Override
        public String word(String text) {
            return text;
        }

        @Override
        public String[] array(int length) {
            return new String[length];
        }

        @Override
        public String[][] table(int length) {
            return new String[length][];
        }
    };

    WordType<byte[]> BYTES = new WordType<>() {
        @Override
        public byte[] word(byte[] from, int start, int length) {
            return Arrays.copyOfRange(from, start, start + length);
        }

        @Override
        public byte[] word(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[][] array(int length) {
            return new byte[length][];
        }

        @Override
        public byte[][][] table(int length) {
            return new byte[length][][];
        }
    };

    W word(byte[] from, int start, int length);

    W word(String text);

    W[] array(int length);

    /** An array for arrays that are added later. */
    W[][] table(int length);
}
