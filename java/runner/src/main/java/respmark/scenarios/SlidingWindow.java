package respmark.scenarios;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import respmark.clients.Flight;
import respmark.recorder.Tally;

/**
 * A window that slides: `depth` commands in flight, and whichever completes sends the next.
 *
 * <p>The next command is sent where the reply arrived, on the library's own thread, as a chain of stages or a reactive
 * flatMap of this concurrency does it.
 */
final class SlidingWindow {
    private final Flight flight;
    private final Walk walk;
    private final Tally tally;
    private final Predicate<Throwable> isFailure;
    private final CountDownLatch open;
    private int at;
    private Throwable ending;

    SlidingWindow(Flight flight, Walk walk, int depth, Tally tally, Predicate<Throwable> isFailure) {
        this.flight = flight;
        this.walk = walk;
        this.tally = tally;
        this.isFailure = isFailure;
        this.open = new CountDownLatch(depth);
        this.at = walk.first();
    }

    /** Keeps the window full until it is over. */
    void run() throws Exception {
        tally.begin();
        for (long i = open.getCount(); i > 0; i--) {
            new Chain().sendNext(System.nanoTime());
        }
        open.await();
        if (ending instanceof Exception exception) {
            throw exception;
        }
        if (ending instanceof Error error) {
            throw error;
        }
    }

    private synchronized int take() {
        int command = at;
        at = walk.after(at);
        return command;
    }

    /** Records a completion; says whether its chain goes on. */
    private synchronized boolean record(Throwable error, long sentNs, long now) {
        if (error == null) {
            tally.add(now - sentNs);
        } else if (!isFailure.test(error)) {
            return end(error);
        } else if (tally.failed(error, now)) {
            return end(new Lost(tally.failedInARow() + " units in a row failed", error));
        }
        if (now >= tally.checkpoint()) {
            tally.reached(now);
        }
        return tally.checkpoint() != Tally.OVER && ending == null;
    }

    private synchronized boolean end(Throwable error) {
        ending = ending == null ? error : ending;
        while (open.getCount() > 0) {
            open.countDown();
        }
        return false;
    }

    /** One place in the window: a command after the other. */
    private final class Chain implements BiConsumer<Object, Throwable> {
        private long sentNs;

        void sendNext(long now) {
            sentNs = now;
            try {
                flight.send(take()).whenComplete(this);
            } catch (RuntimeException error) {
                accept(null, error);
            }
        }

        @Override
        public void accept(Object reply, Throwable error) {
            long now = System.nanoTime();
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            if (record(cause, sentNs, now)) {
                sendNext(now);
            } else {
                open.countDown();
            }
        }
    }
}
