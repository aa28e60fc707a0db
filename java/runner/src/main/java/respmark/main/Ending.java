package respmark.main;

import java.io.PrintStream;
import respmark.errors.RunnerException;

/** Prints what was wrong as the last line of standard error, and finds the exit code for it. */
final class Ending {
    private static final String DEBUG = "RESPMARK_DEBUG";
    private static final String NOT_PRINTED = "…";
    private static final int OTHER = 1;

    private final PrintStream errors;
    private String secret = "";

    Ending(PrintStream errors) {
        this.errors = errors;
    }

    /** Work that can end in an error. */
    interface Work {
        void carryOut() throws Exception;
    }

    /** Leaves this text out of every message from now on. */
    void keepSecret(String text) {
        secret = text == null ? "" : text;
    }

    private static boolean isDebugging() {
        return "1".equals(System.getenv(DEBUG));
    }

    /** Does the work; returns its exit code and, if that is not 0, prints one sentence. */
    int codeOf(Work work) {
        try {
            work.carryOut();
            return 0;
        } catch (RunnerException error) {
            return fail(error, error.exitCode(), error.getMessage());
        } catch (Throwable error) {
            return fail(error, OTHER, "internal error: %s (%s=1 shows where)".formatted(error, DEBUG));
        }
    }

    private int fail(Throwable error, int code, String sentence) {
        if (isDebugging()) {
            error.printStackTrace(errors);
        }
        errors.println(redacted(sentence.replaceAll("\\s+", " ")));
        errors.flush();
        return code;
    }

    /** The text without the secret. */
    String redacted(String text) {
        return secret.isEmpty() ? text : text.replace(secret, NOT_PRINTED);
    }
}
