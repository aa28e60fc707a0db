package respmark.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One way of using a client, and which fields its shape has. */
public enum Scenario {
    SYNC(List.of(), List.of()),
    PIPELINING(List.of("depth", "window"), List.of("threads")),
    BATCHING(List.of("depth"), List.of()),
    TRANSACTION(List.of("depth", "form"), List.of()),
    THREADS(List.of("threads", "connections"), List.of()),
    POOL(List.of("threads", "max_total"), List.of("max_idle")),
    NEW_CONNECTION(List.of(), List.of()),
    CACHING(List.of("cache_entries"), List.of());

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> required;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> optional;

    Scenario(List<String> required, List<String> optional) {
        this.required = required;
        this.optional = optional;
    }

    public List<String> required() {
        return required;
    }

    public boolean uses(String field) {
        return required.contains(field) || optional.contains(field);
    }

    /** Its name in the contract. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Scenario of(String word) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.word().equals(word))
                .findFirst()
                .orElseThrow();
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(Scenario::word).toList();
    }
}
