package respmark.clients;

import java.util.List;

/** One unit of work, performed whole: a command, a burst, a batch, a transaction, a connection. */
public interface Unit {
    /** Performs the unit whose first command has this number in the workload; returns what its replies are in. */
    Object perform(int first) throws Exception;

    /** The replies of a unit, in the order of its commands. */
    List<?> replies(Object outcome);
}
