package org.respmark.bench.jedis;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Replay;
import org.respmark.bench.ReplaySocket;
import org.respmark.bench.Tally;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisProtocol;

/**
 * GET through a complete Jedis connection whose socket is in memory and replays a server's replies.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Exchange {
    private final CommandObjects commands = new CommandObjects(RedisProtocol.RESP3);
    private final Tally tally = new Tally();
    private Connection connection;
    private int next;

    /** Creates the connection; there is no server. */
    @Setup(Level.Trial)
    public void connect() {
        connection = new Connection(() -> new ReplaySocket(new Replay(Data.bulkReplies())));
    }

    /** GET: encoded, flushed, its reply parsed. */
    @Benchmark
    public void get() {
        tally.value(next, connection.executeCommand(commands.get(Data.key(next))));
        next = Data.after(next);
    }

    /** Fails the benchmark if a reply was wrong. */
    @TearDown(Level.Iteration)
    public void check() {
        tally.check();
    }
}
