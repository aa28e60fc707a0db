package respmark;

import java.util.Arrays;
import java.util.List;

/** One unit of work, performed as a whole: a command, a burst, a batch, a transaction, a connection. */
@FunctionalInterface
public interface Unit {
    /** Performs the unit that begins with this command; returns its reply, or an array of its replies. */
    Object perform(int first) throws Exception;

    /** The replies of a unit of several commands, one a command; for use outside of slices. */
    default List<?> replies(int first) throws Exception {
        return Arrays.asList((Object[]) perform(first));
    }
}
