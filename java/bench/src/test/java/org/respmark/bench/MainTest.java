package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class MainTest {
    /** A request that is not valid ends with 2, and one sentence. */
    @Test
    void invalidRequest() {
        assertTrue(said(2).startsWith("error: give --port"), said(2));
        assertTrue(said(2, "--port", "1", "--job", "forever").contains("as --job one of"));
        assertTrue(said(2, "--speed", "3").contains("there are"));
    }

    /** A filter is a glob over the whole name; a dot in it is a dot. */
    @Test
    void filters() {
        assertTrue("org.respmark.bench.jedis.Sync.get".matches(Main.pattern("*jedis.Sync*")));
        assertTrue("org.respmark.bench.jedis.Sync.get".matches(Main.pattern("*.?et")));
        assertFalse("org.respmark.bench.jedisXSync.get".matches(Main.pattern("*jedis.Sync*")));
        assertFalse("org.respmark.bench.jedis.Sync.get".matches(Main.pattern("Sync")));
    }

    /** A server where nothing listens ends with 4, before JMH starts anything. */
    @Test
    void refusedServer() throws IOException {
        int port;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
        }
        String sentence = said(4, "--port", Integer.toString(port));
        assertTrue(sentence.startsWith("error: the server at 127.0.0.1:" + port + " cannot be reached"), sentence);
    }

    /** The versions are those of the jars that are on the path. */
    @Test
    void versions() {
        assertTrue(Main.version(Jedis.class, "redis.clients/jedis").matches("[0-9]+\\.[0-9]+\\..*"));
        assertTrue(Main.version(RedisClient.class, "io.lettuce/lettuce-core").matches("[0-9]+\\.[0-9]+\\..*"));
    }

    private static String said(int code, String... words) {
        PrintStream before = System.err;
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            assertEquals(code, Main.run(words));
        } finally {
            System.setErr(before);
        }
        return errors.toString(StandardCharsets.UTF_8).strip();
    }
}
