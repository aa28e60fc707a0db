package respmark.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import respmark.contract.Event.LocalCache;
import respmark.contract.Json;
import respmark.contract.Trial;
import respmark.contract.TrialParser;
import respmark.errors.Unsupported;
import respmark.testing.Golden;
import respmark.testing.Server;
import respmark.testing.Trials;
import respmark.workload.WorkloadFile;

/** The client's own cache: a second GET is a hit, until another connection changes the key. */
@Timeout(60)
class CachingTest {
    /** The first command of the golden workload reads it. */
    private static final String KEY = "key:0000004";

    @Test
    void lettuceDropsWhatAnotherConnectionChangesAndReadsItAgain() throws Exception {
        try (Server server = Server.start();
                Session session = session("lettuce", server)) {
            assertForgets(session, server);
        }
    }

    @Test
    void jedisDoesSoWithServersThatItCachesForAndRefusesOthers() throws Exception {
        try (Server server = Server.start();
                Session session = session("jedis", server)) {
            if (server.isRedisFrom(7, 4)) {
                assertForgets(session, server);
            } else {
                String words = assertThrows(Unsupported.class, session::connect).getMessage();
                assertTrue(words.startsWith("this server is none that Jedis caches for: "), words);
            }
        }
    }

    private static Session session(String library, Server server) throws Exception {
        Map<String, Object> shape = Map.of("cache_entries", 20);
        Trial trial = TrialParser.parse(
                Json.line(Trials.trial(library, server.port(), "scenario", "caching", "shape", shape)));
        Session session = Registry.load(trial).load(trial);
        session.materialise(WorkloadFile.read(Golden.workload()));
        return session;
    }

    private static void assertForgets(Session session, Server server) throws Exception {
        Unit unit = session.connect().get(0).unit();
        assertEquals(unit.replies(unit.perform(0)), unit.replies(unit.perform(0)));
        assertEquals(new LocalCache(1, 1, 0), session.localCache());
        server.command("SET", KEY, "new");
        // Lettuce hears of it on a thread of its own.
        while (session.localCache().misses() == 1) {
            Thread.sleep(1);
            unit.perform(0);
        }
        assertEquals(List.of("new"), unit.replies(unit.perform(0)));
        assertEquals(2, session.localCache().misses());
        assertEquals(1, session.localCache().invalidations());
    }
}
