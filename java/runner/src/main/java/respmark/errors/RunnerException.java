package respmark.errors;

/** Base of all errors that end a trial: one sentence on what failed, where, and what to do. */
public class RunnerException extends RuntimeException {
    public RunnerException(String message) {
        super(message);
    }

    public RunnerException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The exit code that the contract assigns to it. */
    public int exitCode() {
        return 1;
    }
}
