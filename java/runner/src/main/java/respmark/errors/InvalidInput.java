package respmark.errors;

/** The trial is not valid: a field, a value or its workload file. */
public final class InvalidTrial extends RunnerException {
    public InvalidTrial(String message) {
        super(message);
    }

    public InvalidTrial(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return 2;
    }
}
