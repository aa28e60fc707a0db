package respmark.clients;

import java.util.Map;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Trial;

/** One client library: what it can do, and how to load it for a trial. */
public interface Library {
    ClientDescription description();

    /** Versions of what is actually loaded. */
    Map<String, String> versions();

    /** Why it cannot express this trial, or null if it can. */
    String objection(Trial trial);

    /** Loads the library; opens no connection. */
    Session load(Trial trial);

    /** Whether the error means that a unit failed; any other error is a fault in the runner. */
    boolean isFailure(Throwable error);

    /** Whether the error means that there is no connection to the target. */
    boolean isDisconnection(Throwable error);
}
