package org.respmark.bench.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Server;
import org.respmark.bench.Timed;

/** One Lettuce connection to a server that holds every key. */
public abstract class OneConnection extends Timed {
    private RedisClient client;

    /** The connection. */
    protected StatefulRedisConnection<byte[], byte[]> connection;

    /** Connects and writes every key. */
    @Setup(Level.Trial)
    public void connect() throws IOException {
        client = RedisClient.create(address());
        connection = client.connect(ByteArrayCodec.INSTANCE);
        for (int number = 0; number < Data.KEYS; number++) {
            connection.sync().set(Data.key(number), Data.value(number));
        }
        prepare();
    }

    static RedisURI address() throws IOException {
        Server server = Server.given();
        RedisURI.Builder uri = RedisURI.Builder.redis(server.host(), server.port());
        if (server.password() != null) {
            uri.withPassword((CharSequence) server.password());
        }
        return uri.build();
    }

    /** Prepares what a benchmark needs besides the connection, which is open by then. */
    protected void prepare() {
        // Most need nothing more.
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() {
        connection.close();
        client.shutdown();
    }
}
