package respmark.clients;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** An error and all its causes. */
public final class Causes {
    private static final int LONGEST = 300;

    private Causes() {}

    /** Whether the error or one of its causes passes the test. */
    public static boolean any(Throwable error, Predicate<Throwable> test) {
        return all(error).stream().anyMatch(test);
    }

    /** The messages of the error and its causes, each with its class, in one line. */
    public static String words(Throwable error) {
        String words = all(error).stream()
                .map(cause -> cause.getClass().getSimpleName() + ": " + cause.getMessage())
                .collect(Collectors.joining("; "))
                .replaceAll("\\s+", " ");
        return words.length() <= LONGEST ? words : words.substring(0, LONGEST) + "…";
    }

    private static Set<Throwable> all(Throwable error) {
        Set<Throwable> found = new LinkedHashSet<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(error);
        while (!open.isEmpty()) {
            Throwable next = open.remove();
            if (seen.add(next)) {
                found.add(next);
                // Jedis attaches the actual error to its own exception as a suppressed one.
                Collections.addAll(open, next.getSuppressed());
                if (next.getCause() != null) {
                    open.add(next.getCause());
                }
            }
        }
        return found;
    }
}
