package respmark.clients.lettuce;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.util.List;

/** In what today's Lettuce differs from other versions; all else is the same in each. */
final class LettuceVersion {
    /** As installed, every command has a timer of its own. */
    static final List<Object> COMMAND_TIMEOUTS = List.of("default", "off");

    private LettuceVersion() {}

    static void verify(RedisURI.Builder builder, boolean verify) {
        builder.withVerifyPeer(verify ? SslVerifyMode.FULL : SslVerifyMode.NONE);
    }
}
