package org.respmark.bench.jedis;

import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Server;
import org.respmark.bench.Timed;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** A connection borrowed from Jedis's own pool and given back; no command. */
public class PoolBorrow extends Timed {
    private ConnectionPool pool;
    private Connection last;

    /** Opens the pool with its default settings. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        Server server = Server.given();
        pool = new ConnectionPool(
                new HostAndPort(server.host(), server.port()),
                DefaultJedisClientConfig.builder().password(server.password()).build(),
                new ConnectionPoolConfig());
    }

    /** Borrows a connection and gives it back. */
    @Benchmark
    public void borrowAndReturn() {
        try (Connection connection = pool.getResource()) {
            last = connection;
        }
    }

    /** Fails the benchmark if connections were lost, broken, or not reused. */
    @Override
    public void check() {
        if (pool.getNumActive() != 0 || pool.getCreatedCount() != 1 || !last.ping()) {
            throw new IllegalStateException("the pool lent %d and made %d connections; one should have served all"
                    .formatted(pool.getNumActive(), pool.getCreatedCount()));
        }
    }

    /** Closes the pool. */
    @TearDown(Level.Trial)
    public void close() {
        pool.close();
    }
}
