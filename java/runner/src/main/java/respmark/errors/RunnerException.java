package respmark.errors;

/** Base of all that ends a trial: one sentence that says what failed, where, and what to do. */
public class RunnerException extends RuntimeException {
    public RunnerException(String message) {
        super(message);
    }

    public RunnerException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The exit code that the contract gives it. */
    public int exitCode() {
        return 1;
    }
}
