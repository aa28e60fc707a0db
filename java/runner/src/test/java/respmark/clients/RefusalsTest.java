package respmark.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import respmark.contract.Json;
import respmark.errors.TargetFailure;
import respmark.testing.Golden;

/** What is said of a target that refuses us is what every language says. */
class RefusalsTest {
    private static final String ADDRESS = "host:1";

    /** Every reply with which servers refuse us altogether, with what it means and what to do. */
    static Stream<Arguments> replies() throws Json.NotJson {
        return refusals()
                .flatMap(refusal -> ((List<?>) refusal.get("replies"))
                        .stream().map(reply -> Arguments.of(reply, refusal.get("meaning"), refusal.get("advice"))));
    }

    @SuppressWarnings("unchecked")
    private static Stream<Map<String, Object>> refusals() throws Json.NotJson {
        return ((List<Map<String, Object>>) Golden.json("refusals.json").get("refusals")).stream();
    }

    @ParameterizedTest
    @MethodSource("replies")
    void aRefusalHasTheContractsSentence(String reply, String meaning, String advice) {
        Optional<TargetFailure> refusal = Refusals.refusal(new IllegalStateException(reply), ADDRESS);
        String sentence = refusal.map(Throwable::getMessage).orElse("");
        assertTrue(sentence.startsWith(ADDRESS + " " + meaning + " ("), sentence);
        assertTrue(sentence.endsWith("): " + advice), sentence);
    }

    @Test
    void anErrorOfOneCommandIsNoRefusal() {
        assertEquals(
                Optional.empty(), Refusals.refusal(new IllegalStateException("WRONGTYPE Operation against"), ADDRESS));
    }

    @Test
    void everySentenceIsOneOfTheContracts() throws Json.NotJson {
        Set<Map.Entry<String, String>> known = refusals()
                .map(refusal -> Map.entry((String) refusal.get("meaning"), (String) refusal.get("advice")))
                .collect(Collectors.toSet());
        Refusals.sentences().forEach(sentence -> assertTrue(known.contains(sentence), sentence.toString()));
    }

    @Test
    void aLostTargetHasTheContractsSentence() throws Json.NotJson {
        Map<?, ?> sentences = (Map<?, ?>) Golden.json("refusals.json").get("sentences");
        String expected = ((String) sentences.get("lost"))
                .replace("{address}", ADDRESS)
                .replace("{complaint}", "silence")
                .replace("{heard}", "IllegalStateException: gone");
        assertEquals(
                expected,
                Refusals.lost("silence", new IllegalStateException("gone"), ADDRESS)
                        .getMessage());
    }
}
