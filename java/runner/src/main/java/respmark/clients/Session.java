package respmark.clients;

import java.util.List;
import java.util.Map;
import respmark.contract.Event.LocalCache;
import respmark.workload.Workload;

/** One client for one trial; its library is already loaded. */
public interface Session extends AutoCloseable {
    /** Materialises the commands that it will send. */
    void materialise(Workload workload);

    /** Opens every connection that the trial uses; returns a lane for each walker. */
    List<Lane> connect();

    /** What a reader must know about how the library was used. */
    Map<String, Object> settings();

    /** What the client's own cache has done so far; null if it has none. */
    default LocalCache localCache() {
        return null;
    }

    @Override
    void close();
}
