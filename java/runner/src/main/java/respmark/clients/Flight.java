package respmark.clients;

import java.util.concurrent.CompletableFuture;

/** Sends the command of this number without waiting; what is asynchronous is made of these. */
public interface Flight {
    CompletableFuture<?> send(int command);
}
