package respmark;

/** This machine or this server cannot do what the trial asks for. */
public final class Unsupported extends RuntimeException {
    public Unsupported(String reason) {
        super(reason);
    }
}
