package org.respmark.bench.jedis;

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
import org.respmark.bench.Replay;
import org.respmark.bench.Tally;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.PushConsumerChainImpl;
import redis.clients.jedis.util.RedisInputStream;

/** A reply to GET read through Jedis's own input buffer from a replayed byte stream. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Decode {
    private final RedisInputStream stream = new RedisInputStream(new Replay(Data.bulkReplies()));
    private final PushConsumerChain consumers = PushConsumerChainImpl.of(PushConsumerChainImpl.PUBSUB_CONSUMER);
    private final Tally tally = new Tally();
    private int next;

    /** The reply to GET: a value of 1,024 bytes. */
    @Benchmark
    public void get() {
        tally.value(next, BuilderFactory.BINARY.build(Protocol.read(stream, consumers)));
        next = Data.after(next);
    }

    /** Fails the benchmark if a reply was wrong. */
    @TearDown(Level.Iteration)
    public void check() {
        tally.check();
    }
}
