package respmark.clients;

import java.util.concurrent.CompletionStage;

/** Sends the command of this number without waiting; what is asynchronous is made of these. */
public interface Flight {
    CompletionStage<?> send(int command);
}
