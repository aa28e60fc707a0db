package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.respmark.bench.Data;
import org.respmark.bench.Replay;
import org.respmark.bench.ReplaySocket;
import org.respmark.bench.Timed;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisProtocol;

/**
 * GET through a complete Jedis connection whose socket is in memory and replays a server's replies.
 */
public class Exchange extends Timed {
    private final CommandObjects commands = new CommandObjects(RedisProtocol.RESP3);
    private Connection connection;

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
}
