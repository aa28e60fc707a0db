package org.respmark.bench.lettuce;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.respmark.bench.Data;
import org.respmark.bench.Timed;

/** A reply to GET parsed by Lettuce's state machine from a replayed direct buffer. */
public class Decode extends Timed {
    private final RedisStateMachine parser = new RedisStateMachine();
    private ByteBuf replies;

    /** Fills the buffer with the replies to a GET of every key. */
    @Setup(Level.Trial)
    public void fill() {
        parser.setProtocolVersion(ProtocolVersion.RESP3);
        byte[] content = Data.bulkReplies();
        replies = PooledByteBufAllocator.DEFAULT.directBuffer(content.length).writeBytes(content);
    }

    /** The reply to GET: a value of 1,024 bytes. */
    @Benchmark
    public void get() {
        ValueOutput<byte[], byte[]> output = new ValueOutput<>(ByteArrayCodec.INSTANCE);
        if (!parser.decode(replies, output)) {
            throw new IllegalStateException("the reply was not taken as whole");
        }
        tally.value(next, output.get());
        next = Data.after(next);
        if (next == 0) {
            replies.readerIndex(0);
        }
    }

    /** Gives the buffers back. */
    @TearDown(Level.Trial)
    public void release() {
        parser.close();
        replies.release();
    }
}
