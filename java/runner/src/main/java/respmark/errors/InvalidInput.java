package respmark.errors;

/** The input is not valid: the trial, its workload file, or an order. */
public final class InvalidInput extends RunnerException {
    public InvalidInput(String message) {
        super(message);
    }

    public InvalidInput(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return 2;
    }
}
