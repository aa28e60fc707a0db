package org.respmark.bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server under test; the processes that JMH forks read it from system properties. The password
 * is in a file, because it would show in the list of processes.
 *
 * @param password null if the server asks for none
 */
public record Server(String host, int port, String password) {
    private static final int LIMIT_MS = 5_000;

    /** Without the password. */
    @Override
    public String toString() {
        return "the server at " + host + ":" + port;
    }

    static Server of(String host, String port, String passwordFile) throws IOException {
        String password = passwordFile.isEmpty() ? "" : Files.readString(Path.of(passwordFile));
        return new Server(host, Integer.parseInt(port), password.isEmpty() ? null : password);
    }

    /** Returns the server of this process. */
    public static Server given() throws IOException {
        return of(
                System.getProperty("respmark.host"),
                System.getProperty("respmark.port"),
                System.getProperty("respmark.password-file"));
    }

    /** Fails with a ConnectException that says what was wrong. */
    void mustAnswer() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), LIMIT_MS);
            socket.setSoTimeout(LIMIT_MS);
            if (password != null) {
                byte[] secret = password.getBytes(StandardCharsets.UTF_8);
                ask(socket, "*2\r\n$4\r\nAUTH\r\n$" + secret.length + "\r\n" + password + "\r\n", "AUTH", "+OK");
            }
            ask(socket, "PING\r\n", "PING", "+PONG");
        } catch (IOException error) {
            throw new ConnectException(this + " cannot be reached: " + error.getMessage());
        }
    }

    private void ask(Socket socket, String command, String name, String due) throws IOException {
        socket.getOutputStream().write(command.getBytes(StandardCharsets.UTF_8));
        byte[] reply = socket.getInputStream().readNBytes(due.length() + 2);
        String said = new String(reply, StandardCharsets.US_ASCII).strip();
        if (!said.equals(due)) {
            throw new ConnectException(name + " was answered with " + said);
        }
    }
}
