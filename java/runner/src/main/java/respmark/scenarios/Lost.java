package respmark.scenarios;

/** Nothing succeeds any more; the cause is the failure that showed it, if any. */
public final class Lost extends Exception {
    Lost(String complaint, Throwable cause) {
        super(complaint, cause);
    }
}
