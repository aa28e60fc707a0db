package respmark.clients;

import java.util.List;

/** One unit of work, performed as a whole: command, burst, batch, transaction or connection. */
public interface Unit {
    /** Performs the unit that starts at command `first`; returns what holds its replies. */
    Object perform(int first) throws Exception;

    /** The replies in a unit's outcome, in the order of its commands. */
    List<?> replies(Object outcome);
}
