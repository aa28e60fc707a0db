package respmark.scenarios;

import java.util.function.Predicate;
import respmark.clients.Unit;
import respmark.recorder.Tally;

/**
 * The measured loop: whatever stands here, the client is charged for.
 *
 * <p>One clock reading ends a unit and starts the next, and one store keeps its latency. A unit is a method of its own:
 * that is compiled once it has been called often enough, whereas the loop around it, which runs twice a slice, is entered
 * anew by the interpreter each time.
 */
final class UnitLoop implements Walker {
    private final Unit unit;
    private final Walk walk;
    private final Tally tally;
    private final Predicate<Throwable> isFailure;
    private int at;

    UnitLoop(Unit unit, Walk walk, Tally tally, Predicate<Throwable> isFailure) {
        this.unit = unit;
        this.walk = walk;
        this.tally = tally;
        this.isFailure = isFailure;
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
        at = walk.after(first);
        long now;
        try {
            unit.perform(first);
            now = System.nanoTime();
            tally.add(now - then);
        } catch (Exception error) {
            now = System.nanoTime();
            judge(error, now - then);
        }
        return now;
    }

    /** Counts a failed unit; what is no failure of a unit, or one too many, ends the walk. */
    private void judge(Exception error, long tookNs) throws Exception {
        if (!isFailure.test(error)) {
            throw error;
        }
        if (tally.failed(error, tookNs)) {
            throw new Lost(tally.complaint(), error);
        }
    }
}
