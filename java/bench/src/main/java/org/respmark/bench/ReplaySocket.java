package org.respmark.bench;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A socket in memory: what is written is dropped, what is read is replayed. */
public final class ReplaySocket extends Socket {
    private final InputStream replies;
    private final OutputStream commands = OutputStream.nullOutputStream();

    /** A connected socket. */
    public ReplaySocket(InputStream replies) {
        super();
        this.replies = replies;
    }

    @Override
    public InputStream getInputStream() {
        return replies;
    }

    @Override
    public OutputStream getOutputStream() {
        return commands;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public void setSoTimeout(int milliseconds) {
        // Nothing here waits.
    }
}
