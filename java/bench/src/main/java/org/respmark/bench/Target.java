package org.respmark.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The server under test; the processes that JMH forks learn of it from system properties. */
public record Target(String host, int port) {
    private static final int LIMIT_MS = 5_000;

    static final Property HOST = new Property("respmark.host");
    static final Property PORT = new Property("respmark.port");

    /** A system property, as it is given and read. */
    record Property(String name) {
        String option(String value) {
            return "-D" + name + "=" + value;
        }

        String read() {
            String value = System.getProperty(name);
            if (value == null) {
                throw new IllegalStateException(
                        "-D" + name + " is not set; start the benchmarks through respmark-java-bench.jar");
            }
            return value;
        }
    }

    /** Nothing answers there as a server does. */
    static final class UnreachableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreachableException(String message) {
            super(message);
        }
    }

    static Target of(String host, int port) {
        return new Target(host, port);
    }

    /** Returns the target of this process. */
    public static Target given() {
        return new Target(HOST.read(), Integer.parseInt(PORT.read()));
    }

    void mustAnswer() throws UnreachableException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), LIMIT_MS);
            socket.setSoTimeout(LIMIT_MS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] pong = "+PONG\r\n".getBytes(StandardCharsets.US_ASCII);
            byte[] reply = socket.getInputStream().readNBytes(pong.length);
            if (!Arrays.equals(pong, reply)) {
                String said = new String(reply, StandardCharsets.US_ASCII).strip();
                throw new UnreachableException(at() + " does not answer PING with PONG but: " + said);
            }
        } catch (IOException e) {
            throw new UnreachableException(at() + " cannot be reached: " + e.getMessage());
        }
    }

    private String at() {
        return "the target at " + host + ":" + port;
    }
}
