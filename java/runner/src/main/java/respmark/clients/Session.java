package respmark.clients;

import java.util.List;
import java.util.Map;

/** One client for one trial: loaded, its commands materialised, and connected when that is ordered. */
public interface Session extends AutoCloseable {
    /** Opens every connection that the trial uses; returns a lane for each walker. */
    List<Lane> connect();

    /** What a reader must know of how the library was used. */
    Map<String, Object> settings();

    @Override
    void close();
}
