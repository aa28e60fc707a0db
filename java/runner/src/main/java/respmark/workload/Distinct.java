package respmark.workload;

import java.util.Arrays;

/**
 * Objects by number, with open addressing: unlike a map's, its look-ups leave no garbage among the
 * commands' keys.
 */
final class Distinct<W> {
    private static final long EMPTY = -1;
    private static final int SMALLEST = 1 << 10;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final WordType<W> type;
    private long[] numbers;
    private W[] objects;
    private int count;

    Distinct(WordType<W> type) {
        this.type = type;
        clear(SMALLEST);
    }

    private void clear(int size) {
        numbers = new long[size];
        Arrays.fill(numbers, EMPTY);
        objects = type.array(size);
        count = 0;
    }

    /** The object with this number, or null. */
    W get(long number) {
        return objects[place(number)];
    }

    void put(long number, W object) {
        if (2 * ++count > numbers.length) {
            grow();
        }
        int place = place(number);
        numbers[place] = number;
        objects[place] = object;
    }

    private int place(long number) {
        int place = (int) ((number * SPREAD) >>> Integer.SIZE) & (numbers.length - 1);
        while (numbers[place] != number && numbers[place] != EMPTY) {
            place = (place + 1) & (numbers.length - 1);
        }
        return place;
    }

    private void grow() {
        long[] oldNumbers = numbers;
        W[] oldObjects = objects;
        clear(2 * oldNumbers.length);
        for (int i = 0; i < oldNumbers.length; i++) {
            if (oldNumbers[i] != EMPTY) {
                put(oldNumbers[i], oldObjects[i]);
            }
        }
        count++;
    }
}
