package respmark.clients;

import java.util.List;
import java.util.Map;
import respmark.contract.Event.LocalCache;
import respmark.workload.Workload;

/** One client for one trial: its library is loaded. */
public interface Session extends AutoCloseable {
    /** Makes the commands that it sends. */
    void materialise(Workload workload);

    /** Opens every connection that the trial uses; returns a lane for each walker. */
    List<Lane> connect();

    /** What a reader must know of how the library was used. */
    Map<String, Object> settings();

    /** What the client's own cache has done until now; null: it has none. */
    default LocalCache localCache() {
        return null;
    }

    @Override
    void close();
}
