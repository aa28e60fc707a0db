import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import respmark.Client;

/** Lettuce from 6.6 on. */
public final class LettuceAdapter extends LettuceBase {
    /** No command is sent again after a reconnect, and the kernel gives up a connection whose peer is gone. */
    @Override
    void keepLimits(ClientOptions.Builder options, SocketOptions.Builder sockets) {
        options.replayFilter(command -> true);
        sockets.keepAlive(KeepAliveOptions.builder()
                        .enable()
                        .idle(Client.LIMIT)
                        .interval(Client.LIMIT)
                        .count(1)
                        .build())
                .tcpUserTimeout(TcpUserTimeoutOptions.builder()
                        .enable()
                        .tcpUserTimeout(Client.LIMIT)
                        .build());
    }
}
