package respmark.clients;

import java.util.concurrent.CompletionStage;

/** Sends the command with this number without waiting; everything asynchronous is built on it. */
public interface Flight {
    CompletionStage<?> send(int command);
}
