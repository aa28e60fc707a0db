package org.respmark.bench.jedis;

import org.openjdk.jmh.annotations.Benchmark;
import org.respmark.bench.Data;
import org.respmark.bench.Replay;
import org.respmark.bench.Timed;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.PushConsumerChainImpl;
import redis.clients.jedis.util.RedisInputStream;

/** A reply to GET read through Jedis's own input buffer from a replayed byte stream. */
public class Decode extends Timed {
    private final RedisInputStream stream = new RedisInputStream(new Replay(Data.bulkReplies()));
    private final PushConsumerChain consumers = PushConsumerChainImpl.of(PushConsumerChainImpl.PUBSUB_CONSUMER);

    /** The reply to GET: a value of 1,024 bytes. */
    @Benchmark
    public void get() {
        tally.value(next, BuilderFactory.BINARY.build(Protocol.read(stream, consumers)));
        next = Data.after(next);
    }
}
