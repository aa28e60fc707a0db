package respmark;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * A sliding window whose commands are due at times of their own: each starts when that time has come
 * and a slot is free. The walker's thread starts those that are due while slots are free. Late ones
 * start, as in the closed loop, where a reply has made a slot free, on the library's own thread.
 */
final class OpenWindow<C> {
    private final Walker walker;
    private final C client;
    private final Commands.Calls<C> calls;
    private final List<Slot> slots;
    private final BlockingQueue<Slot> free;
    private Arrivals arrivals;

    OpenWindow(Walker walker, C client, Commands.Calls<C> calls, int depth) {
        this.walker = walker;
        this.client = client;
        this.calls = calls;
        slots = Stream.generate(Slot::new).limit(depth).toList();
        free = new ArrayBlockingQueue<>(depth, false, slots);
    }

    /** Performs a part of a slice. */
    void perform(Arrivals part) throws InterruptedException {
        arrivals = part;
        for (long now = arrivals.await(); !arrivals.isOver(now); now = arrivals.await()) {
            Slot slot = nextFree();
            if (slot != null) {
                slot.startDue(System.nanoTime());
            }
        }
        int lost = slots.size();
        while (lost > 0 && nextFree() != null) {
            lost--;
        }
        walker.lost(lost);
        free.clear();
        free.addAll(slots);
    }

    /** Waits for a free slot; null if none came for too long. */
    private Slot nextFree() throws InterruptedException {
        long limitNs = arrivals.closesNs() + TimeUnit.SECONDS.toNanos(Walker.LOST_S);
        return free.poll(limitNs - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private final class Slot implements BiConsumer<Object, Throwable> {
        private int unit;
        private long startedNs;

        /** Starts the next command if it is due; else it is free. */
        void startDue(long now) {
            int command = takeDue(now);
            if (command == Arrivals.NONE) {
                free.offer(this);
            } else {
                startedNs = now;
                ((CompletionStage<?>) calls.send(client, command)).whenComplete(this);
            }
        }

        private int takeDue(long now) {
            synchronized (walker) {
                unit = arrivals.take(now);
                return unit == Arrivals.NONE ? Arrivals.NONE : walker.take();
            }
        }

        @Override
        public void accept(Object reply, Throwable error) {
            long now = System.nanoTime();
            synchronized (walker) {
                walker.ended(unit, startedNs, now, error);
            }
            startDue(now);
        }
    }
}
