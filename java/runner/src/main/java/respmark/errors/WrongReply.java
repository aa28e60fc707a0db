package respmark.errors;

/** A reply does not match its command: nothing measured with this client would mean anything. */
public final class WrongReply extends RunnerException {
    public WrongReply(String message) {
        super(message);
    }

    public WrongReply(String message, Throwable cause) {
        super(message, cause);
    }
}
