package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.PushConsumerChainImpl;
import redis.clients.jedis.util.RedisInputStream;

class ReplayTest {
    /** The bytes come again after the last one. */
    @Test
    void replays() throws IOException {
        byte[] content = "abc".getBytes(StandardCharsets.US_ASCII);
        try (Replay replay = new Replay(content)) {
            assertArrayEquals("abcabca".getBytes(StandardCharsets.US_ASCII), replay.readNBytes(7));
            assertEquals('b', replay.read());
        }
    }

    /** The replies are those of a server: a library reads every key's value from them, again and again. */
    @Test
    void repliesAreResp() throws IOException {
        try (RedisInputStream stream = new RedisInputStream(new Replay(Data.bulkReplies()))) {
            for (int number = 0, left = Data.KEYS + 1; left > 0; left--, number = Data.after(number)) {
                assertArrayEquals(Data.value(number), (byte[]) Protocol.read(stream, PushConsumerChainImpl.of()));
            }
        }
    }
}
