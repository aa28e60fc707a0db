package respmark.scenarios;

/** Works its way through the workload. */
interface Walker {
    /** Goes to this command. */
    void goTo(int command);

    /** Performs units until that moment, at least one; returns when nothing is in flight any more. */
    void until(long endNs) throws Exception;
}
