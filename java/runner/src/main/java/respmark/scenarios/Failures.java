package respmark.scenarios;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import respmark.contract.Limits;
import respmark.recorder.Samples;

/** The failed units of one walker: how many of each kind in a slice, and if the target is lost. */
public final class Failures {
    private final Predicate<Throwable> isFailure;
    private final Samples samples;
    private final Map<String, Long> errors = new TreeMap<>();
    private Throwable firstError;
    private long unitsAtFailure = -1;
    private int inARow;
    private long failingNs;

    /** `isFailure` recognises errors of failed units; any other error is a fault in the runner. */
    Failures(Predicate<Throwable> isFailure, Samples samples) {
        this.isFailure = isFailure;
        this.samples = samples;
    }

    /** Forgets the errors of the previous slice. */
    void beginSlice() {
        errors.clear();
        firstError = null;
    }

    /** Whether the error means that a unit failed. */
    boolean concerns(Throwable error) {
        return isFailure.test(error);
    }

    /** Counts a unit that failed after this long; returns whether the target is now lost. */
    boolean count(Throwable error, long tookNs) {
        errors.merge(error.getClass().getSimpleName(), 1L, Long::sum);
        firstError = firstError == null ? error : firstError;
        if (samples.units() != unitsAtFailure) {
            unitsAtFailure = samples.units();
            inARow = 0;
            failingNs = 0;
        }
        failingNs += tookNs;
        inARow++;
        return inARow >= Limits.FAILURES_IN_A_ROW || failingNs >= Limits.SILENCE.toNanos();
    }

    /** What messages say about a lost target. */
    String complaint() {
        return inARow + " units in a row failed";
    }

    /** The slice's failed units by kind. */
    public Map<String, Long> errors() {
        return errors;
    }

    public Throwable firstError() {
        return firstError;
    }
}
