package respmark.contract;

import java.time.Duration;

/**
 * How long a runner waits and how often it fails before it gives up, as in the contract: the same
 * in every language.
 */
public final class Limits {
    /** After this many failed units of one walker in a row, the target is lost. */
    public static final int FAILURES_IN_A_ROW = 25;
    /**
     * The target is also lost after this long in a slice without a successful unit, whether units
     * fail or do not return.
     */
    public static final Duration SILENCE = Duration.ofSeconds(10);
    /** A walker waits at most this long for a connection from a pool. */
    public static final Duration POOL_WAIT = Duration.ofSeconds(3);

    private Limits() {}
}
