package respmark.scenarios;

import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import respmark.clients.Flight;
import respmark.recorder.Samples;
import respmark.workload.Walker;

/**
 * A sliding window: `depth` commands are in flight. Each has its own continuation, which observes
 * its completion and issues the next command.
 *
 * <p>So the next command is issued where the reply arrived, on the library's own thread, as by a
 * chain of stages or a reactive flatMap of this concurrency. A completion enters the monitor once,
 * to store its sample and take the next command's number.
 */
final class SlidingWindow implements Loop {
    private static final int NONE = -1;

    private final Flight flight;
    private final Walker walker;
    private final Samples samples;
    private final Failures failures;
    private final Chain[] chains;
    private int at;
    private int open;
    private long endNs;
    private long completedNs;
    private Throwable ending;

    SlidingWindow(Flight flight, int depth, Walker walker, Samples samples, Failures failures) {
        this.flight = flight;
        this.walker = walker;
        this.samples = samples;
        this.failures = failures;
        this.chains = Stream.generate(Chain::new).limit(depth).toArray(Chain[]::new);
    }

    @Override
    public synchronized void goTo(int command) {
        at = command;
    }

    @Override
    public void until(long moment) throws Exception {
        synchronized (this) {
            endNs = moment;
            open = chains.length;
            completedNs = System.nanoTime();
        }
        for (Chain chain : chains) {
            chain.send(take(), System.nanoTime());
        }
        awaitAll();
    }

    private synchronized void awaitAll() throws Exception {
        while (open > 0) {
            wait();
        }
        if (ending instanceof Exception exception) {
            throw exception;
        }
        if (ending instanceof Error error) {
            throw error;
        }
    }

    private synchronized int take() {
        int command = at;
        at = walker.after(at);
        return command;
    }

    /** Records a completion; returns the command with which its chain continues, or NONE. */
    private synchronized int after(Throwable error, long sentNs, long now) {
        long tookNs = now - completedNs;
        completedNs = now;
        if (error == null) {
            samples.add(now - sentNs);
        } else if (!failures.concerns(error)) {
            end(error);
        } else if (failures.count(error, tookNs)) {
            end(new Lost(failures.complaint(), error));
        }
        if (now < endNs && ending == null) {
            return take();
        }
        open--;
        notifyAll();
        return NONE;
    }

    private void end(Throwable error) {
        ending = ending == null ? error : ending;
        open = 0;
    }

    /** One place in the window: one command after another. */
    private final class Chain implements BiConsumer<Object, Throwable> {
        private long sentNs;

        void send(int command, long now) {
            sentNs = now;
            try {
                flight.send(command).whenComplete(this);
            } catch (RuntimeException error) {
                accept(null, error);
            }
        }

        @Override
        public void accept(Object reply, Throwable error) {
            long now = System.nanoTime();
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            int next = after(cause, sentNs, now);
            if (next != NONE) {
                send(next, now);
            }
        }
    }
}
