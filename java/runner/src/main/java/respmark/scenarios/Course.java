package respmark.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import respmark.clients.Lane;
import respmark.recorder.Tally;
import respmark.recorder.Window;

/**
 * A scenario, ready to run: every walker on a thread of its own, the main thread asleep beside them.
 *
 * <p>A walker keeps its thread from the warm-up to the end. On a new one, whatever libraries keep by thread would be made
 * in the window, and compiled code that had only seen it made already would be thrown away and compiled again.
 */
public final class Course implements AutoCloseable {
    /** Nothing at all for so long means that the target is lost. */
    private static final long SILENCE_NS = 10 * Window.SECOND_NS;
    /** How long after each second the main thread wakes: by then the walkers have published their counts. */
    private static final long GRACE_NS = Window.SECOND_NS / 20;

    private final List<Lane> lanes;
    private final List<Walk> walks;
    private final int depth;
    private final List<ExecutorService> threads;
    private final long[][] storage;

    /** `depth` is that of a window that slides. */
    public Course(List<Lane> lanes, List<Walk> walks, int depth, Walkers walkers) {
        this.lanes = List.copyOf(lanes);
        this.walks = List.copyOf(walks);
        this.depth = depth;
        this.threads =
                IntStream.range(0, lanes.size()).mapToObj(walkers::thread).toList();
        this.storage = Tally.storage(lanes.size());
    }

    /** Told, once a second, the nanoseconds since the window began and the units completed. */
    public interface Progress {
        void told(long elapsedNs, long units);
    }

    public List<Walk> walks() {
        return walks;
    }

    public Lane firstLane() {
        return lanes.get(0);
    }

    /** Bytes of storage for samples. */
    public long storageBytes() {
        return (long) storage.length * storage[0].length * Long.BYTES;
    }

    /** Sends the walkers to the gate, where they wait for the window to open. What is no failure of a unit ends all of it. */
    public Armed arm(Window window, Predicate<Throwable> isFailure) {
        Armed armed = new Armed(window, isFailure);
        for (int i = 0; i < lanes.size(); i++) {
            armed.start(i);
        }
        return armed;
    }

    /** Ends the walkers' threads, wherever they are. */
    @Override
    public void close() {
        threads.forEach(ExecutorService::shutdownNow);
    }

    /** Walkers at the gate. */
    public final class Armed {
        private final Window window;
        private final Predicate<Throwable> isFailure;
        private final List<Tally> tallies = new ArrayList<>();
        private final CountDownLatch gate = new CountDownLatch(1);
        private final BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();

        private Armed(Window window, Predicate<Throwable> isFailure) {
            this.window = window;
            this.isFailure = isFailure;
        }

        private void start(int number) {
            Tally tally = new Tally(storage[number], window);
            tallies.add(tally);
            threads.get(number).execute(() -> walk(number, tally));
        }

        private void walk(int number, Tally tally) {
            try {
                gate.await();
                perform(lanes.get(number), walks.get(number), tally);
                endings.add(new Ending(null));
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                endings.add(new Ending(error));
            } catch (Throwable error) {
                endings.add(new Ending(error));
            }
        }

        private void perform(Lane lane, Walk walk, Tally tally) throws Exception {
            if (lane.flight() == null) {
                UnitLoop.run(lane.unit(), walk, tally, isFailure);
            } else {
                new SlidingWindow(lane.flight(), walk, depth, tally, isFailure).run();
            }
        }

        /** Opens the window, waits until every walker is through, closes it; returns what each has done. */
        public List<Tally> go(Progress progress) throws Lost, InterruptedException {
            window.open();
            gate.countDown();
            follow(progress);
            window.close();
            tallies.forEach(Tally::fold);
            return tallies;
        }

        private void follow(Progress progress) throws Lost, InterruptedException {
            long wakeNs = window.startNs() + Window.SECOND_NS + GRACE_NS;
            long seen = 0;
            long seenNs = window.startNs();
            for (int left = tallies.size(); left > 0; ) {
                Ending ending = endings.poll(wakeNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (ending != null) {
                    ending.check();
                    left--;
                    seenNs = System.nanoTime();
                    continue;
                }
                long units = tallies.stream().mapToLong(Tally::publishedUnits).sum();
                progress.told(wakeNs - GRACE_NS - window.startNs(), units);
                seenNs = units == seen ? seenNs : wakeNs;
                seen = units;
                if (wakeNs - seenNs >= SILENCE_NS) {
                    throw new Lost("nothing was answered for %d s".formatted(SILENCE_NS / Window.SECOND_NS), null);
                }
                wakeNs += Window.SECOND_NS;
            }
        }
    }

    /** How a walk ended: of itself, or with an error. */
    private record Ending(Throwable error) {
        void check() throws Lost {
            if (error instanceof Lost lost) {
                throw lost;
            }
            if (error instanceof Error fatal) {
                throw fatal;
            }
            if (error instanceof RuntimeException fault) {
                throw fault;
            }
            if (error != null) {
                throw new IllegalStateException(error);
            }
        }
    }
}
