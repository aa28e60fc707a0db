package respmark.clients.lettuce;

import io.lettuce.core.resource.EpollProvider;

/** The native transport, looked at only when it is asked for: looking loads it. */
final class Transport {
    private Transport() {}

    static boolean hasEpoll() {
        return EpollProvider.isAvailable();
    }
}
