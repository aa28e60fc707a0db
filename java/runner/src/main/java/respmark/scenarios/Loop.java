package respmark.scenarios;

/** Performs the units of one walker; everything in a loop is charged to the client. */
interface Loop {
    /** Goes to this command. */
    void goTo(int command);

    /** Performs one unit or more, until `endNs`; returns when nothing is in flight any more. */
    void until(long endNs) throws Exception;
}
