package respmark.clients;

import java.util.List;
import java.util.Map;

/** One client, connected for one trial. */
public interface Session extends AutoCloseable {
    /** One for each walker. */
    List<Lane> lanes();

    /** What a reader must know of how the library was used. */
    Map<String, Object> settings();

    /** Connects once more, without the library's own reconnecting; fails as connecting does. */
    void checkTarget();

    @Override
    void close();
}
