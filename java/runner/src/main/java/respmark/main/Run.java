package respmark.main;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Refusals;
import respmark.clients.Registry;
import respmark.clients.Session;
import respmark.contract.Event.Progress;
import respmark.contract.Event.Ready;
import respmark.contract.Trial;
import respmark.contract.TrialParser;
import respmark.errors.RunnerException;
import respmark.errors.TargetFailure;
import respmark.errors.Unsupported;
import respmark.errors.WrongReply;
import respmark.recorder.Cpu;
import respmark.recorder.Health;
import respmark.recorder.Tally;
import respmark.recorder.Window;
import respmark.scenarios.Course;
import respmark.scenarios.Layout;
import respmark.scenarios.Lost;
import respmark.scenarios.Walk;
import respmark.scenarios.Walkers;
import respmark.verification.Verifier;
import respmark.workload.Workload;
import respmark.workload.WorkloadFile;

/** A trial, step by step, as the contract numbers them. */
final class Run {
    private static final int WARM_UP_PARTS = 4;
    private static final Course.Progress QUIET = (elapsedNs, units) -> {};

    private final Channel channel;
    private final Exit exit;

    Run(Channel channel, Exit exit) {
        this.channel = channel;
        this.exit = exit;
    }

    /** Reads one trial, measures it, prints its events. */
    void conduct() throws Exception {
        silenceLibraries();
        Trial trial = TrialParser.parse(channel.trial());
        exit.keepSecret(trial.target().password());
        Library library = Registry.load(trial);
        checkSupport(library, trial);
        Workload workload = WorkloadFile.read(trial.workload().path());
        Cpu.now();
        Layout layout = Layout.of(trial);
        try (Session session = open(library, trial, workload);
                Course course = course(trial, workload, library, session, layout)) {
            long verified = verify(trial, workload, library, course, layout);
            Health.setAsideOwnObjects();
            WarmUp warm = warmUp(trial, library, course, layout);
            Window window = new Window(trial.measureS());
            Course.Armed armed = course.arm(window, library::isFailure);
            channel.say(
                    new Ready(trial.trialId(), startup().minus(warm.elapsed()).toNanos(), verified, warm.operations()));
            channel.awaitGo();
            List<Tally> tallies = walk(trial, library, armed, progress(trial, layout));
            checkStillThere(trial, library, session, tallies);
            channel.say(new Results(trial, library, session, layout, course).of(window, tallies, exit));
            channel.awaitEnd();
        }
    }

    /** The libraries' own logs would stand between the user and our last line. */
    private static void silenceLibraries() {
        if (!Exit.isDebugging()) {
            Logger.getLogger("").setLevel(Level.OFF);
        }
    }

    private static void checkSupport(Library library, Trial trial) {
        String objection = library.objection(trial);
        if (objection != null) {
            throw new Unsupported("%s cannot do this %s: %s"
                    .formatted(trial.client().library(), trial.scenario().word(), objection));
        }
    }

    private static Session open(Library library, Trial trial, Workload workload) {
        try {
            return library.open(trial, workload);
        } catch (RunnerException error) {
            throw error;
        } catch (RuntimeException error) {
            if (library.isFailure(error)) {
                throw explained(error, library, trial);
            }
            throw error;
        }
    }

    private static TargetFailure explained(Throwable error, Library library, Trial trial) {
        String address = trial.target().address();
        return Refusals.explain(error, library, address).orElseGet(() -> Refusals.unreachable(error, address));
    }

    private static Course course(Trial trial, Workload workload, Library library, Session session, Layout layout) {
        List<Walk> walks = IntStream.range(0, layout.walkers())
                .mapToObj(i -> Walk.of(trial.workload(), i, layout, workload.length()))
                .toList();
        int depth = trial.shape().slides() ? trial.shape().depth() : 1;
        Walkers walkers = Options.of(trial, library.description().options()).walkers();
        return new Course(session.lanes(), walks, depth, walkers);
    }

    private static long verify(Trial trial, Workload workload, Library library, Course course, Layout layout) {
        Verifier verifier = new Verifier(workload, layout.commandsPerUnit());
        try {
            return verifier.verify(course.firstLane().unit(), course.walks().get(0), trial.verifyCommands());
        } catch (Verifier.Failed failed) {
            throw failure(failed, verifier, library, trial);
        }
    }

    private static RuntimeException failure(Verifier.Failed failed, Verifier verifier, Library library, Trial trial) {
        Throwable error = failed.getCause();
        if (!library.isFailure(error)) {
            return new IllegalStateException(error);
        }
        Optional<TargetFailure> refused =
                Refusals.explain(error, library, trial.target().address());
        if (refused.isPresent()) {
            return refused.get();
        }
        return new WrongReply(
                "%s, or one in its unit, failed in verification (%s: %s): the target must know every command of the workload"
                        .formatted(
                                verifier.name(failed.first()), error.getClass().getSimpleName(), error.getMessage()),
                error);
    }

    /** What the warm-up took and did. */
    private record WarmUp(Duration elapsed, long operations) {}

    /**
     * Runs the scenario itself for a while, so that the window meets code that is compiled; a refusal ends it. In several
     * parts: the compiler throws code away that comes to an end for the first time, so that has to happen before.
     */
    private static WarmUp warmUp(Trial trial, Library library, Course course, Layout layout)
            throws InterruptedException {
        if (trial.warmupS() == 0) {
            return new WarmUp(Duration.ZERO, 0);
        }
        String address = trial.target().address();
        Predicate<Throwable> isFailure = error ->
                library.isFailure(error) && Refusals.refusal(error, address).isEmpty();
        long began = System.nanoTime();
        long units = 0;
        try {
            for (int part = 0; part < WARM_UP_PARTS; part++) {
                Window window = new Window(trial.warmupS() / WARM_UP_PARTS);
                List<Tally> tallies = walk(trial, library, course.arm(window, isFailure), QUIET);
                units += tallies.stream().mapToLong(Tally::units).sum();
            }
        } catch (RuntimeException error) {
            throw Refusals.refusal(error, address)
                    .map(RuntimeException.class::cast)
                    .orElse(error);
        }
        return new WarmUp(Duration.ofNanos(System.nanoTime() - began), units * layout.commandsPerUnit());
    }

    private static List<Tally> walk(Trial trial, Library library, Course.Armed armed, Course.Progress progress)
            throws InterruptedException {
        try {
            return armed.go(progress);
        } catch (Lost lost) {
            throw lost(lost, lost.getCause(), library, trial);
        }
    }

    private static TargetFailure lost(Lost lost, Throwable cause, Library library, Trial trial) {
        String heard =
                cause == null ? "" : ": " + explained(cause, library, trial).getMessage();
        return new TargetFailure(
                "the target %s was lost: %s%s; see whether it still runs, then run again"
                        .formatted(trial.target().address(), lost.getMessage(), heard),
                lost);
    }

    /** When the window ended on failures, looks whether the target is still there. */
    private static void checkStillThere(Trial trial, Library library, Session session, List<Tally> tallies) {
        if (tallies.stream().noneMatch(Tally::isFailing)) {
            return;
        }
        try {
            session.checkTarget();
        } catch (RuntimeException error) {
            if (library.isFailure(error)) {
                throw explained(error, library, trial);
            }
            throw error;
        }
    }

    private Course.Progress progress(Trial trial, Layout layout) {
        return (elapsedNs, units) ->
                channel.say(new Progress(trial.trialId(), elapsedNs, units * layout.commandsPerUnit()));
    }

    private static Duration startup() {
        Instant started = ProcessHandle.current().info().startInstant().orElseThrow();
        return Duration.between(started, Instant.now());
    }
}
