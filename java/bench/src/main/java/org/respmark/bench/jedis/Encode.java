package org.respmark.bench.jedis;

import java.io.IOException;
import java.io.OutputStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.respmark.bench.Data;
import org.respmark.bench.Timed;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.util.RedisOutputStream;

/** A command built and written through Jedis's own output buffer to a stream that only counts. */
public class Encode extends Timed {
    private final CommandObjects commands = new CommandObjects(RedisProtocol.RESP3);
    private final Counter sink = new Counter();
    private final RedisOutputStream stream = new RedisOutputStream(sink);
    private long written;

    /** GET. */
    @Benchmark
    public void get() throws IOException {
        write(commands.get(Data.key(next)).getArguments());
    }

    /** SET. */
    @Benchmark
    public void set() throws IOException {
        write(commands.set(Data.key(next), Data.value(next)).getArguments());
    }

    private void write(CommandArguments arguments) throws IOException {
        Protocol.sendCommand(stream, arguments);
        stream.flush();
        written++;
        next = Data.after(next);
    }

    /** Fails the benchmark if the commands did not have the right length. */
    @Override
    public void check() {
        Data.mustHaveLength(written, sink.bytes);
        written = 0;
        sink.bytes = 0;
    }

    /** Counts the bytes; stands in for the socket. */
    private static final class Counter extends OutputStream {
        private long bytes;

        @Override
        public void write(int letter) {
            bytes++;
        }

        @Override
        public void write(byte[] letters, int from, int length) {
            bytes += length;
        }
    }
}
