package respmark.errors;

/** The target cannot be reached, refused the runner, or was lost. */
public final class TargetFailure extends RunnerException {
    public TargetFailure(String message) {
        super(message);
    }

    public TargetFailure(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return 4;
    }
}
