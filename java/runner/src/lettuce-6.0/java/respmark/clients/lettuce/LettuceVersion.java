package respmark.clients.lettuce;

import io.lettuce.core.RedisURI;
import java.util.List;

/** In what Lettuce 6.0 differs from other versions; all else is the same in each. */
final class LettuceVersion {
    /** As installed, no command has a timer. */
    static final List<Object> COMMAND_TIMEOUTS = List.of("off");

    private LettuceVersion() {}

    static void verify(RedisURI.Builder builder, boolean verify) {
        builder.withVerifyPeer(verify);
    }
}
