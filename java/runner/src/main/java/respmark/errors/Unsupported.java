package respmark.errors;

/** The trial is valid, but this client cannot express it. */
public final class Unsupported extends RunnerException {
    public Unsupported(String message) {
        super(message);
    }

    public Unsupported(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return 3;
    }
}
