package respmark.contract;

import java.time.Duration;

/** How long a runner waits and how often it fails before it gives up: the contract's, the same in every language. */
public final class Limits {
    /** So many failed units of one walker in a row, and the target is lost. */
    public static final int FAILURES_IN_A_ROW = 25;
    /** So long in a slice without a unit that succeeds, whether units fail or do not come back. */
    public static final Duration SILENCE = Duration.ofSeconds(10);
    /** A walker waits at most so long for a connection of a pool. */
    public static final Duration POOL_WAIT = Duration.ofSeconds(3);

    private Limits() {}
}
