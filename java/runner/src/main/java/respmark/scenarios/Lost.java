package respmark.scenarios;

/** Nothing succeeds any more; the cause is the last failure, if one was heard. */
public final class Lost extends Exception {
    Lost(String complaint, Throwable cause) {
        super(complaint, cause);
    }
}
