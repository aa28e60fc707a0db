package org.respmark.bench.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.support.ConnectionPoolSupport;
import java.io.IOException;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Timed;

/** A connection borrowed from Lettuce's pool and given back; no command. */
public class PoolBorrow extends Timed {
    /**
     * Whether the pool wraps connections so that closing one gives it back, which is the default.
     */
    @Param({"true", "false"})
    public boolean wrapped;

    private RedisClient client;
    private GenericObjectPool<StatefulRedisConnection<byte[], byte[]>> pool;

    /** Opens the pool. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        client = RedisClient.create(OneConnection.address());
        pool = ConnectionPoolSupport.createGenericObjectPool(
                () -> client.connect(ByteArrayCodec.INSTANCE),
                new GenericObjectPoolConfig<StatefulRedisConnection<byte[], byte[]>>(),
                wrapped);
    }

    /** Borrows a connection and gives it back in the way that {@link #wrapped} requires. */
    @Benchmark
    public void borrowAndReturn() throws Exception {
        StatefulRedisConnection<byte[], byte[]> connection = pool.borrowObject();
        if (wrapped) {
            connection.close();
        } else {
            pool.returnObject(connection);
        }
    }

    /** Fails the benchmark if connections were lost or not reused. */
    @Override
    public void check() {
        if (pool.getNumActive() != 0 || pool.getCreatedCount() != 1) {
            throw new IllegalStateException("the pool lent %d and made %d connections; one should have served all"
                    .formatted(pool.getNumActive(), pool.getCreatedCount()));
        }
    }

    /** Closes the pool. */
    @TearDown(Level.Trial)
    public void close() {
        pool.close();
        client.shutdown();
    }
}
