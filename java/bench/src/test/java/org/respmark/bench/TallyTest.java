package org.respmark.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally = new Tally();

    /** The right replies pass, iteration after iteration. */
    @Test
    void rightReplies() {
        for (int iteration = 0; iteration < 2; iteration++) {
            tally.value(7, Data.value(7).clone());
            tally.status("OK");
            assertDoesNotThrow(tally::check);
        }
    }

    /** The value of another key, which has the same length, is noticed. */
    @Test
    void valueOfAnotherKey() {
        tally.value(7, Data.value(8));
        fails("GET of key 7 returned a wrong value");
    }

    /** Another status is noticed. */
    @Test
    void wrongStatus() {
        tally.status("QUEUED");
        fails("wrong replies");
        assertThrows(NullPointerException.class, () -> tally.status(null));
    }

    /** An iteration without any reply measured nothing. */
    @Test
    void noReply() {
        fails("no reply came");
    }

    private void fails(String said) {
        Exception failure = assertThrows(IllegalStateException.class, tally::check);
        assertTrue(failure.getMessage().contains(said), failure.getMessage());
    }
}
