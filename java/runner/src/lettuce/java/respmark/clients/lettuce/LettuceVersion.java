package respmark.clients.lettuce;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.util.List;

/** How today's Lettuce differs from other versions; everything else is the same in all of them. */
final class LettuceVersion {
    /** As installed, every command has its own timer. */
    static final List<Object> COMMAND_TIMEOUTS = List.of("default", "off");

    private LettuceVersion() {}

    static void verify(RedisURI.Builder builder, boolean verify) {
        builder.withVerifyPeer(verify ? SslVerifyMode.FULL : SslVerifyMode.NONE);
    }
}
