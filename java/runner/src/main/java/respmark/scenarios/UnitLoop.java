package respmark.scenarios;

import respmark.clients.Unit;
import respmark.recorder.Samples;
import respmark.workload.Walker;

/**
 * The measured loop: everything in it is charged to the client.
 *
 * <p>One clock read ends a unit and starts the next, and one store keeps its latency. A unit has
 * its own method because that is compiled once it has been called often enough, whereas the loop
 * around it, which runs twice per slice, is entered through the interpreter each time.
 */
final class UnitLoop implements Loop {
    private final Unit unit;
    private final Walker walker;
    private final Samples samples;
    private final Failures failures;
    private int at;

    UnitLoop(Unit unit, Walker walker, Samples samples, Failures failures) {
        this.unit = unit;
        this.walker = walker;
        this.samples = samples;
        this.failures = failures;
    }

    @Override
    public void goTo(int command) {
        at = command;
    }

    @Override
    public void until(long endNs) throws Exception {
        long now = System.nanoTime();
        do {
            now = next(now);
        } while (now < endNs);
    }

    /** Performs a unit that could start at `then`; returns the time at which it ended. */
    private long next(long then) throws Exception {
        int first = at;
        at = walker.after(first);
        long now;
        try {
            unit.perform(first);
            now = System.nanoTime();
            samples.add(now - then);
        } catch (Exception error) {
            now = System.nanoTime();
            judge(error, now - then);
        }
        return now;
    }

    /** Counts a failed unit; any other error, or one failure too many, ends the loop. */
    private void judge(Exception error, long tookNs) throws Exception {
        if (!failures.concerns(error)) {
            throw error;
        }
        if (failures.count(error, tookNs)) {
            throw new Lost(failures.complaint(), error);
        }
    }
}
