package respmark.clients;

import java.util.List;
import java.util.Map;
import respmark.workload.Workload;

/** One client for one trial: its library is loaded. */
public interface Session extends AutoCloseable {
    /** Makes the commands that it sends. */
    void materialise(Workload workload);

    /** Opens every connection that the trial uses; returns a lane for each walker. */
    List<Lane> connect();

    /** What a reader must know of how the library was used. */
    Map<String, Object> settings();

    @Override
    void close();
}
