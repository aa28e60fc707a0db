import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;

/** Lettuce before 6.6. */
public final class Lettuce6Adapter extends LettuceBase {
    @Override
    void keepLimits(ClientOptions.Builder options, SocketOptions.Builder sockets) {
        throw new UnsupportedOperationException("limits=strict needs options that came with Lettuce 6.6");
    }
}
