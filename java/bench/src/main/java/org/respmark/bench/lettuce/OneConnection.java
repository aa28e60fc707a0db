package org.respmark.bench.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Tally;
import org.respmark.bench.Target;

/** One Lettuce connection to a server that holds every key. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class OneConnection {
    private RedisClient client;

    /** The connection. */
    protected StatefulRedisConnection<byte[], byte[]> connection;

    /** Where replies go. */
    protected final Tally tally = new Tally();

    /** Number of the next key. */
    protected int next;

    /** Connects and writes every key. */
    @Setup(Level.Trial)
    public void connect() throws IOException {
        Target target = Target.given();
        client = RedisClient.create(Address.of(target));
        connection = client.connect(ByteArrayCodec.INSTANCE);
        for (int number = 0; number < Data.KEYS; number++) {
            connection.sync().set(Data.key(number), Data.value(number));
        }
        prepare();
    }

    /** Prepares what a benchmark needs besides the connection, which is open by then. */
    protected void prepare() {
        // Most need nothing more.
    }

    /** Fails the benchmark if a reply was wrong. */
    @TearDown(Level.Iteration)
    public void check() {
        tally.check();
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() {
        connection.close();
        client.shutdown();
    }
}
