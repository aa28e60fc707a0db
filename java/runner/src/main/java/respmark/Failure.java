package respmark;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What a unit raised: the library's class, and its words. */
record Failure(String error, String text) {
    private static final int LONGEST_TEXT = 500;

    /** Of the error itself, where a future wraps it. */
    static Failure of(Throwable raised) {
        boolean isOfFuture = raised instanceof CompletionException || raised instanceof ExecutionException;
        Throwable cause = isOfFuture && raised.getCause() != null ? raised.getCause() : raised;
        String text = String.valueOf(cause.getMessage());
        return new Failure(cause.getClass().getSimpleName(), text.substring(0, Math.min(text.length(), LONGEST_TEXT)));
    }
}
