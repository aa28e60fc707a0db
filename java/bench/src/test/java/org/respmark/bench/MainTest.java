package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MainTest {
    /** A request that is not valid ends with 2, and one sentence. */
    @Test
    void invalidRequest() {
        assertEquals("error: --port is missing: the port of the server to measure against", said(2));
    }

    /** A target where nothing listens ends with 4, before JMH starts anything. */
    @Test
    void refusedTarget() throws IOException {
        int port;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
        }
        String sentence = said(4, "--port", Integer.toString(port));
        assertTrue(sentence.startsWith("error: the target at 127.0.0.1:" + port + " cannot be reached"), sentence);
    }

    /** The versions are those of the jars that are on the path. */
    @Test
    void versions() {
        assertTrue(Libraries.jedis().matches("[0-9]+\\.[0-9]+\\..*"), Libraries.jedis());
        assertTrue(Libraries.lettuce().matches("[0-9]+\\.[0-9]+\\..*"), Libraries.lettuce());
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
