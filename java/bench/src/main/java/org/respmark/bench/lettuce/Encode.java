package org.respmark.bench.lettuce;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Timed;

/** A command built as Lettuce's API builds it, and encoded into a direct buffer that is reused. */
public class Encode extends Timed {
    private static final ByteArrayCodec CODEC = ByteArrayCodec.INSTANCE;

    private final ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(8 * 1024);
    private long commands;
    private long bytes;

    /** GET. */
    @Benchmark
    public void get() {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(CODEC).addKey(Data.key(next));
        encode(new Command<>(CommandType.GET, new ValueOutput<>(CODEC), arguments));
    }

    /** SET. */
    @Benchmark
    public void set() {
        CommandArgs<byte[], byte[]> arguments =
                new CommandArgs<>(CODEC).addKey(Data.key(next)).addValue(Data.value(next));
        encode(new Command<>(CommandType.SET, new StatusOutput<>(CODEC), arguments));
    }

    private void encode(Command<byte[], byte[], ?> command) {
        buffer.clear();
        command.encode(buffer);
        bytes += buffer.readableBytes();
        commands++;
        next = Data.after(next);
    }

    /** Fails the benchmark if the commands did not have the right length. */
    @Override
    public void check() {
        Data.mustHaveLength(commands, bytes);
        commands = 0;
        bytes = 0;
    }

    /** Gives the buffer back. */
    @TearDown(Level.Trial)
    public void release() {
        buffer.release();
    }
}
