package respmark;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * A sliding window: `depth` commands are in flight. Each has a slot of its own, which observes its
 * completion and issues the next command, where the reply arrived, on the library's own thread.
 */
final class WindowWalker<C> extends Walker {
    private static final int NONE = -1;

    private final C client;
    private final Commands.Calls<C> calls;
    private final List<Slot> slots;
    private final Semaphore idle = new Semaphore(0);
    private final OpenWindow open;
    private long endNs;

    WindowWalker(Place place, Unit unit, C client, Commands.Calls<C> calls, int depth) {
        super(place, unit);
        this.client = client;
        this.calls = calls;
        slots = Stream.generate(Slot::new).limit(depth).toList();
        open = new OpenWindow(this, this::send, depth);
    }

    @Override
    protected void until(long endNs) throws InterruptedException {
        this.endNs = endNs;
        slots.forEach(slot -> slot.send(takeNext(), System.nanoTime()));
        if (!idle.tryAcquire(slots.size(), LOST_S, TimeUnit.SECONDS)) {
            lost(slots.size() - idle.drainPermits());
        }
    }

    @Override
    protected void open(Arrivals arrivals) throws InterruptedException {
        open.perform(arrivals);
    }

    private void send(int command, BiConsumer<Object, Throwable> ended) {
        ((CompletionStage<?>) calls.send(client, command)).whenComplete(ended);
    }

    private synchronized int takeNext() {
        return take();
    }

    /** Records a completion; returns the command with which its slot continues, or NONE. */
    private synchronized int takeNext(Throwable error, long issuedNs, long now) {
        if (error == null) {
            completed(now - issuedNs);
        } else {
            failed(error);
        }
        return now < endNs ? take() : NONE;
    }

    /** One command after another; the walker is locked once for each. */
    private final class Slot implements BiConsumer<Object, Throwable> {
        private long issuedNs;

        void send(int command, long now) {
            issuedNs = now;
            WindowWalker.this.send(command, this);
        }

        @Override
        public void accept(Object reply, Throwable error) {
            long now = System.nanoTime();
            int next = takeNext(error, issuedNs, now);
            if (next == NONE) {
                idle.release();
            } else {
                send(next, now);
            }
        }
    }
}
