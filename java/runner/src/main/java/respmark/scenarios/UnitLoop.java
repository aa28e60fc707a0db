package respmark.scenarios;

import respmark.clients.Unit;
import respmark.recorder.Samples;
import respmark.workload.Walker;

/**
 * The measured loop: whatever stands here, the client is charged for.
 *
 * <p>One clock reading ends a unit and starts the next, and one store keeps its latency. A unit is a method of its own:
 * that is compiled once it has been called often enough, whereas the loop around it, which runs twice a slice, is entered
 * anew by the interpreter each time.
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

    /** Performs a unit, which could start `then`; returns when it ended. */
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

    /** Counts a failed unit; what is no failure of a unit, or one too many, ends the walk. */
    private void judge(Exception error, long tookNs) throws Exception {
        if (!failures.concerns(error)) {
            throw error;
        }
        if (failures.count(error, tookNs)) {
            throw new Lost(failures.complaint(), error);
        }
    }
}
