package respmark.clients.lettuce;

import io.lettuce.core.resource.EpollProvider;

/** The native transport; checked only when it is asked for, because the check loads it. */
final class Transport {
    private Transport() {}

    static boolean hasEpoll() {
        return EpollProvider.isAvailable();
    }
}
