package org.respmark.bench.jedis;

import java.io.IOException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Server;
import org.respmark.bench.Timed;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** One Jedis connection to a server that holds every key. */
public abstract class OneConnection extends Timed {
    /** The connection. */
    protected Jedis jedis;

    /** Connects and writes every key. */
    @Setup(Level.Trial)
    public void connect() throws IOException {
        Server server = Server.given();
        jedis = new Jedis(
                new HostAndPort(server.host(), server.port()),
                DefaultJedisClientConfig.builder().password(server.password()).build());
        for (int number = 0; number < Data.KEYS; number++) {
            jedis.set(Data.key(number), Data.value(number));
        }
        prepare();
    }

    /** Prepares what a benchmark needs besides the connection, which is open by then. */
    protected void prepare() {
        // Most need nothing more.
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() {
        jedis.close();
    }
}
