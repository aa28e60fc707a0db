package respmark.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import respmark.clients.Unit;
import respmark.errors.WrongReply;
import respmark.testing.Golden;
import respmark.workload.Walker;
import respmark.workload.WordType;
import respmark.workload.Workload;
import respmark.workload.WorkloadFile;

/** The golden workload begins with GET key:0000004, GETRANGE, GET key:0000032, PING. */
class VerifierTest {
    private static final int SIZE = 64;
    private static final Workload WORKLOAD = WorkloadFile.read(Golden.workload());

    private enum Decoded {
        TEXT,
        BYTES
    }

    /** A reply other than the right one. */
    private interface Change {
        Object of(int command, Object right);
    }

    private static Object right(int command, WordType<?> form) {
        return switch (WORKLOAD.name(command)) {
            case "GET" ->
                WORKLOAD.exists(WORKLOAD.keyNumber(command))
                        ? WORKLOAD.value(WORKLOAD.keyNumber(command), SIZE, form)
                        : null;
            case "SET" -> "OK";
            case "PING" -> form.word("PONG");
            default -> "abcd";
        };
    }

    private static Unit unit(WordType<?> form, int depth, Change change) {
        return new Unit() {
            @Override
            public Object perform(int first) {
                List<Object> replies = new ArrayList<>();
                for (int i = first; i < first + depth; i++) {
                    int command = i % WORKLOAD.length();
                    replies.add(change.of(command, right(command, form)));
                }
                return replies;
            }

            @Override
            public List<?> replies(Object outcome) {
                return (List<?>) outcome;
            }
        };
    }

    private static long verify(int depth, int commands, WordType<?> form, Change change) throws Verifier.Failed {
        Walker walker = new Walker(0, 1, depth, WORKLOAD.length());
        return new Verifier(WORKLOAD, depth, form == WordType.TEXT ? "text" : "bytes")
                .verify(unit(form, depth, change), walker, commands);
    }

    private static String refusal(Change change) {
        return assertThrows(WrongReply.class, () -> verify(10, 20, WordType.TEXT, change))
                .getMessage();
    }

    private static Change changed(int command, Object reply) {
        return (number, right) -> number == command ? reply : right;
    }

    @ParameterizedTest
    @EnumSource
    void rightRepliesPassRoundedUpToWholeUnits(Decoded decoded) throws Verifier.Failed {
        WordType<?> form = decoded == Decoded.TEXT ? WordType.TEXT : WordType.BYTES;
        assertEquals(500, verify(50, 480, form, (command, right) -> right));
        assertEquals(0, verify(50, 0, form, (command, right) -> right));
    }

    @Test
    void aValueThatIsNotTheKeysIsFound() {
        String message = refusal(changed(0, "x".repeat(SIZE)));
        assertTrue(
                message.startsWith(
                        "the reply to command 0 of the workload, GET key:0000004 is not the value of its key"),
                message);
    }

    @Test
    void aValueOfTheOtherKindIsFound() {
        byte[] value = WORKLOAD.value(WORKLOAD.keyNumber(0), SIZE, WordType.BYTES);
        assertTrue(refusal(changed(0, value)).contains("is not the value of its key"));
    }

    @Test
    void aValueOfAnImpossibleSizeIsFound() {
        assertTrue(refusal(changed(0, "x".repeat(100_000))).contains("which is no size of this workload"));
    }

    @Test
    void aKeyThatShouldExistIsMissed() {
        assertTrue(refusal(changed(0, null)).contains("preload the target"));
    }

    @Test
    void aKeyThatShouldNotExistIsFound() {
        int miss = 0;
        while (!WORKLOAD.name(miss).equals("GET") || WORKLOAD.exists(WORKLOAD.keyNumber(miss))) {
            miss++;
        }
        assertTrue(refusal(changed(miss, "a value")).contains("must be null, not a value"));
    }

    @Test
    void aWrongAnswerToPingAndToSetIsFound() {
        assertTrue(refusal(changed(3, "PANG")).contains("command 3 of the workload, PING must be PONG, not PANG"));
        assertTrue(refusal(changed(6, null)).contains("must be OK, not null"));
    }

    @Test
    void anErrorAmongTheRepliesIsFound() {
        assertTrue(refusal(changed(1, new IllegalStateException("ERR no"))).contains("must be no error, not ERR no"));
    }

    @Test
    void aReplyTooFewIsFound() {
        Unit tooShort = unit(WordType.TEXT, 9, (command, right) -> right);
        Walker walker = new Walker(0, 1, 10, WORKLOAD.length());
        WrongReply wrong =
                assertThrows(WrongReply.class, () -> new Verifier(WORKLOAD, 10, "text").verify(tooShort, walker, 20));
        assertEquals("10 commands were sent, 9 replies came: the client lost count", wrong.getMessage());
    }

    @Test
    void aUnitThatRaisesSaysWhereItBegan() {
        Change raising = (command, right) -> {
            if (command == 12) {
                throw new IllegalStateException();
            }
            return right;
        };
        Verifier.Failed failed = assertThrows(Verifier.Failed.class, () -> verify(10, 20, WordType.TEXT, raising));
        assertEquals(10, failed.first());
    }

    private static String refusalOf(String name, Object reply) {
        Workload workload = WorkloadFile.read(Golden.commands());
        int first = 0;
        while (!workload.name(first).equals(name)) {
            first++;
        }
        Walker walker = new Walker(first, workload.length(), 1, workload.length());
        Unit unit = new Unit() {
            @Override
            public Object perform(int command) {
                return reply;
            }

            @Override
            public List<?> replies(Object outcome) {
                return Collections.singletonList(outcome);
            }
        };
        return assertThrows(WrongReply.class, () -> new Verifier(workload, 1, "text").verify(unit, walker, 1))
                .getMessage();
    }

    @Test
    void wrongRepliesOfEveryCommandAreFound() {
        assertTrue(refusalOf("MGET", List.of("one")).contains("must be 2 values"));
        assertTrue(refusalOf("MGET", List.of("one", "none")).contains("which is no size of this workload"));
        assertTrue(refusalOf("MSET", null).contains("must be OK"));
        assertTrue(refusalOf("LTRIM", 1L).contains("must be OK"));
        assertTrue(refusalOf("INCRBY", 0L).contains("must be a number above 0"));
        assertTrue(refusalOf("LPUSH", "x").contains("must be a number above 0"));
        assertTrue(refusalOf("SADD", 1L).contains("must be 0"));
        assertTrue(refusalOf("ZADD", 1L).contains("must be 0"));
        assertTrue(refusalOf("EXPIRE", false).contains("must be 1"));
        assertTrue(refusalOf("LRANGE", List.of()).contains("must be 4 values"));
        assertTrue(
                refusalOf("LRANGE", List.of("abcd", "abcd", "abcd", "abcd")).contains("is not the value of its key"));
        assertTrue(refusalOf("HGETALL", Map.of("field", "value")).contains("must be 4 values"));
        assertTrue(refusalOf("HGETALL", List.of()).contains("must be 4 values"));
    }
}
