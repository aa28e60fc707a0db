package respmark.scenarios;

import java.util.function.Predicate;
import respmark.clients.Unit;
import respmark.recorder.Tally;

/**
 * The measured loop: whatever stands here, the client is charged for.
 *
 * <p>One clock reading ends a unit and starts the next, one store keeps its latency, one comparison looks whether a
 * checkpoint has come. Whatever else there is to do is done at checkpoints and after failures.
 */
final class UnitLoop {
    private UnitLoop() {}

    /** Performs units one after the other until the window is over. */
    static void run(Unit unit, Walk walk, Tally tally, Predicate<Throwable> isFailure) throws Exception {
        long checkpoint = tally.begin();
        int at = walk.first();
        long then = System.nanoTime();
        while (true) {
            long now;
            try {
                unit.perform(at);
                now = System.nanoTime();
                tally.add(now - then);
            } catch (Exception error) {
                now = System.nanoTime();
                judge(error, now, tally, isFailure);
            }
            at = walk.after(at);
            then = now;
            if (now >= checkpoint) {
                checkpoint = tally.reached(now);
                if (checkpoint == Tally.OVER) {
                    return;
                }
            }
        }
    }

    /** Counts a failed unit; what is no failure of a unit, or one too many, ends the walk. */
    private static void judge(Exception error, long now, Tally tally, Predicate<Throwable> isFailure) throws Exception {
        if (!isFailure.test(error)) {
            throw error;
        }
        if (tally.failed(error, now)) {
            throw new Lost(tally.failedInARow() + " units in a row failed", error);
        }
    }
}
