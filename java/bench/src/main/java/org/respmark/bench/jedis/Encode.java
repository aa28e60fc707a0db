package org.respmark.bench.jedis;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.util.RedisOutputStream;

/** A command built and written through Jedis's own output buffer to a stream that only counts. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Encode {
    private final CommandObjects commands = new CommandObjects(RedisProtocol.RESP3);
    private final Counter sink = new Counter();
    private final RedisOutputStream stream = new RedisOutputStream(sink);
    private long written;
    private int next;

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
    @TearDown(Level.Iteration)
    public void check() {
        sink.check(written);
        written = 0;
    }

    /** Counts the bytes; stands in for the socket. */
    private static final class Counter extends OutputStream {
        private static final int GET_BYTES = "*2\r\n$3\r\nGET\r\n$21\r\n".length() + 21 + 2;
        private static final int SET_BYTES =
                "*3\r\n$3\r\nSET\r\n$21\r\n".length() + 21 + 2 + "$1024\r\n".length() + Data.VALUE_BYTES + 2;

        private long bytes;

        @Override
        public void write(int letter) {
            bytes++;
        }

        @Override
        public void write(byte[] letters, int from, int length) {
            bytes += length;
        }

        void check(long commands) {
            if (commands == 0 || (bytes != commands * GET_BYTES && bytes != commands * SET_BYTES)) {
                throw new IllegalStateException("%d commands were written with %d bytes".formatted(commands, bytes));
            }
            bytes = 0;
        }
    }
}
