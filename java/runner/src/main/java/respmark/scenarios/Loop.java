package respmark.scenarios;

/** Performs units on a walker: whatever stands in one, the client is charged for. */
interface Loop {
    /** Goes to this command. */
    void goTo(int command);

    /** Performs units until that moment, at least one; returns when nothing is in flight any more. */
    void until(long endNs) throws Exception;
}
