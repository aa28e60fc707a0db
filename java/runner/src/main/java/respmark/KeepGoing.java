package respmark;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Work that goes on while something breaks: units have times at which they are due, errors end nothing, and a log has a
 * line when a unit begins and another when it ends. What hangs has begun and not ended.
 */
final class KeepGoing {
    /** Whoever waits looks so often whether it is over. */
    private static final long LOOK_NS = 50_000_000;

    /** Whoever hangs is waited for until so long after the end. */
    private static final long GRACE_NS = 100_000_000;

    private final Order.KeepGoing order;
    private final long[] due;
    private final AtomicInteger next = new AtomicInteger();
    private final Path enough;
    /** Unbuffered: each line is a write of its own, which is there when the process is killed. */
    private final OutputStream log;

    private boolean isClosed;

    KeepGoing(Order.KeepGoing order) throws IOException {
        this.order = order;
        due = Order.due(order.due().file());
        enough = Path.of(order.enough());
        log = new FileOutputStream(order.log(), true);
    }

    /** Lets every walker go on from its first command, on a thread of its own; returns when all are done, or at the end. */
    void perform(List<Walker> walkers, Supplier<Replies<?>> replies, ExecutorService threads)
            throws InterruptedException {
        for (int i = 0; i < walkers.size(); i++) {
            Walker walker = walkers.get(i);
            walker.begin(order.first()[i], null);
            int number = i;
            Replies<?> own = replies.get();
            threads.execute(() -> goOn(walker, number, own));
        }
        threads.shutdown();
        threads.awaitTermination(order.until() + GRACE_NS - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Closes the client, or tries to; the log's last line says how that went. */
    void close(AutoCloseable client) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        try {
            client.close();
        } catch (Exception raised) {
            line.putAll(told(raised));
        }
        line.put("closed", System.nanoTime());
        synchronized (log) {
            append(line);
            isClosed = true;
        }
    }

    private void goOn(Walker walker, int number, Replies<?> replies) {
        try {
            for (int unit = next.getAndIncrement(); isWanted(unit); unit = next.getAndIncrement()) {
                Map<String, Object> line = new LinkedHashMap<>(Map.of("unit", unit, "walker", number));
                Map<String, Object> begun = new LinkedHashMap<>(line);
                begun.put("began", System.nanoTime());
                append(begun);
                line.putAll(performed(walker, replies));
                append(line);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Waits until a unit is due; returns whether there is such a unit, and it is not over. */
    private boolean isWanted(int unit) {
        if (unit >= due.length) {
            return false;
        }
        long dueNs = order.due().at() + due[unit];
        for (long now = System.nanoTime(); now < dueNs && !isOver(); now = System.nanoTime()) {
            LockSupport.parkNanos(Math.min(dueNs - now, LOOK_NS));
        }
        return !isOver();
    }

    private boolean isOver() {
        return System.nanoTime() >= order.until() || Files.exists(enough);
    }

    /** Performs the walker's next command; returns when it ended, and how. */
    private static Map<String, Object> performed(Walker walker, Replies<?> replies) {
        Map<String, Object> outcome = new LinkedHashMap<>();
        int command = walker.take();
        try {
            Object reply = walker.unit().perform(command);
            outcome.put("ended", System.nanoTime());
            outcome.put("reply", replies.form(reply, command));
        } catch (Exception raised) {
            outcome.putIfAbsent("ended", System.nanoTime());
            outcome.putAll(told(raised));
        }
        return outcome;
    }

    private static Map<String, String> told(Exception raised) {
        Failure failure = Failure.of(raised);
        Map<String, String> told = new LinkedHashMap<>();
        told.put("error", failure.error());
        told.put("text", failure.text());
        return told;
    }

    /** Who hung until the client was closed adds nothing. */
    private void append(Map<String, Object> line) throws IOException {
        byte[] bytes = (Json.text(line) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (log) {
            if (!isClosed) {
                log.write(bytes);
            }
        }
    }
}
