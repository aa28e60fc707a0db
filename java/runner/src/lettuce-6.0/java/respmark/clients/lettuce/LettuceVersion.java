package respmark.clients.lettuce;

import io.lettuce.core.RedisURI;
import java.util.List;

/** How Lettuce 6.0 differs from other versions; everything else is the same in all of them. */
final class LettuceVersion {
    /** As installed, no command has a timer. */
    static final List<Object> COMMAND_TIMEOUTS = List.of("off");

    private LettuceVersion() {}

    static void verify(RedisURI.Builder builder, boolean verify) {
        builder.withVerifyPeer(verify);
    }
}
