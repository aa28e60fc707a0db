package respmark;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * A sliding window whose commands are due at times of their own: where a slot is free, the walker's thread takes the
 * next one, waits until it is due, and issues it. The library's threads do nothing but note its end.
 */
public final class OpenWindow {
    private final Walker walker;
    private final Sender sender;
    private final List<Slot> slots;
    private final BlockingQueue<Slot> free;

    /** Issues a command; says when it has a reply, or an error. */
    public interface Sender {
        void send(int command, BiConsumer<Object, Throwable> ended);
    }

    /** `depth` commands in flight at the most. */
    public OpenWindow(Walker walker, Sender sender, int depth) {
        this.walker = walker;
        this.sender = sender;
        slots = Stream.generate(Slot::new).limit(depth).toList();
        free = new ArrayBlockingQueue<>(depth, false, slots);
    }

    /** Performs a part of a slice. */
    public void perform(Arrivals arrivals) throws InterruptedException {
        long limitNs = arrivals.closesNs() + TimeUnit.SECONDS.toNanos(Walker.LOST_S);
        Slot slot = nextFree(limitNs);
        while (slot != null && slot.sent(arrivals.take())) {
            slot = nextFree(limitNs);
        }
        int lost = slots.size() - (slot == null ? 0 : 1);
        while (lost > 0 && nextFree(limitNs) != null) {
            lost--;
        }
        walker.lost(lost);
        free.clear();
        free.addAll(slots);
    }

    /** Waits for a free slot; null if none came for too long. */
    private Slot nextFree(long limitNs) throws InterruptedException {
        return free.poll(limitNs - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private final class Slot implements BiConsumer<Object, Throwable> {
        private int unit;
        private long startedNs;

        /** Issues the walker's next command for a unit; false if there is none. */
        boolean sent(int taken) {
            if (taken == Arrivals.NONE) {
                return false;
            }
            unit = taken;
            int command = walker.take();
            startedNs = System.nanoTime();
            sender.send(command, this);
            return true;
        }

        @Override
        public void accept(Object reply, Throwable error) {
            long now = System.nanoTime();
            synchronized (walker) {
                walker.ended(unit, startedNs, now, error);
            }
            free.add(this);
        }
    }
}
