package respmark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WindowTest {
    private static final int DEPTH = 3;
    private static final long SLICE_NS = 5_000_000;

    @TempDir
    Path folder;

    private final ExecutorService library = Executors.newSingleThreadExecutor();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();
    private Commands<String> commands;

    @BeforeEach
    void read() throws Exception {
        commands = Commands.read(PlainWorkload.in(folder).toString(), Words.TEXT, 0);
    }

    @AfterEach
    void end() {
        library.shutdownNow();
    }

    /** At most `depth` commands are in flight, each is counted once, and none is left when a slice ends. */
    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // the window takes it
    void keepsDepthInFlight() throws Exception {
        Map<String, Commands.Method<Object, String>> methods = new HashMap<>();
        for (String name : List.of("GET", "SET", "MSET", "ZADD", "LTRIM", "PING")) {
            methods.put(name, (on, w, i) -> send());
        }
        Walker.Place place = new Walker.Place(PlainWorkload.COMMANDS, 1, 100, false);
        Walker walker = new WindowWalker<>(place, first -> first, this, commands.with(methods), DEPTH);
        Worked worked = OneSlice.of(List.of(walker), new Order.Work(new int[1], SLICE_NS, SLICE_NS, true, null), null);
        assertEquals(DEPTH, most.get());
        assertEquals(0, inFlight.get());
        assertEquals(sent.get(), worked.leadIn[0] + worked.measured[0]);
    }

    private CompletableFuture<Void> send() {
        sent.incrementAndGet();
        most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        return CompletableFuture.runAsync(inFlight::decrementAndGet, library);
    }
}
