package respmark.clients;

import java.util.Map;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Trial;

/** One client library: connects, and has for each scenario one unit of work. */
public interface Library {
    ClientDescription description();

    /** Versions of what is really loaded. */
    Map<String, String> versions();

    /** Why it cannot express this trial, or null when it can. */
    String objection(Trial trial);

    /** Loads the library; opens no connection. */
    Session load(Trial trial);

    /** Whether a unit that raised this has failed; anything else is a fault of the runner. */
    boolean isFailure(Throwable error);

    /** Whether the error means that there is no connection to the target. */
    boolean isDisconnection(Throwable error);
}
