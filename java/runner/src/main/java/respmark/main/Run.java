package respmark.main;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import respmark.clients.Lane;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Refusals;
import respmark.clients.Registry;
import respmark.clients.Session;
import respmark.contract.Event.Loaded;
import respmark.contract.Event.LocalCache;
import respmark.contract.Event.Ready;
import respmark.contract.Order;
import respmark.contract.Trial;
import respmark.contract.TrialParser;
import respmark.errors.RunnerException;
import respmark.errors.TargetFailure;
import respmark.errors.Unsupported;
import respmark.errors.WrongReply;
import respmark.recorder.Garbage;
import respmark.recorder.Health;
import respmark.recorder.Moment;
import respmark.recorder.Samples;
import respmark.scenarios.Layout;
import respmark.scenarios.Lost;
import respmark.scenarios.Slices;
import respmark.scenarios.ThreadKind;
import respmark.verification.Verifier;
import respmark.workload.Walker;
import respmark.workload.Workload;
import respmark.workload.WorkloadFile;

/** A trial, step by step, as numbered in the contract. */
final class Run {
    private final Channel channel;
    private final Ending ending;

    Run(Channel channel, Ending ending) {
        this.channel = channel;
        this.ending = ending;
    }

    /** Reads one trial, carries out the orders that follow, and prints an event for each. */
    void conduct() throws Exception {
        Trial trial = TrialParser.parse(channel.trial());
        ending.keepSecret(trial.target().password());
        Thread recorder = new Thread(Run::loadRecorder);
        recorder.start();
        Library library = Registry.load(trial);
        checkSupport(library, trial);
        Workload workload = WorkloadFile.read(trial.workload().path());
        Layout layout = Layout.of(trial);
        List<Samples> samples = Arrays.stream(Samples.storage(layout.walkers()))
                .map(Samples::new)
                .toList();
        try (Session session = library.load(trial)) {
            // What loading left behind is collected to make room for the commands, which then lie together where no
            // collection moves them.
            Garbage.setAside();
            session.materialise(workload);
            recorder.join();
            Garbage.setAside();
            channel.say(new Loaded(trial.trialId(), Health.uptimeNs()));
            channel.order(Order.CONNECT);
            long ordered = System.nanoTime();
            List<Lane> lanes = connect(library, session, trial);
            long connectNs = System.nanoTime() - ordered;
            try (Slices slices = slices(trial, workload, library, lanes, layout, samples)) {
                long verified = verify(trial, workload, library, lanes.get(0), layout);
                channel.say(new Ready(trial.trialId(), connectNs, verified));
                work(trial, session, slices, layout, new Result(trial, library, session, layout));
            }
        }
    }

    /** One slice after another, until `finish`. */
    private void work(Trial trial, Session session, Slices slices, Layout layout, Result result) throws Exception {
        Health before = null;
        LocalCache cacheBefore = session.localCache();
        Order order = channel.order(Order.SLICE, Order.FINISH);
        while (order instanceof Order.Slice slice) {
            before = before == null && slice.keepSamples() ? Health.now() : before;
            try {
                slices.work(slice);
            } catch (Lost lost) {
                throw Refusals.lost(
                        lost.getMessage(), lost.getCause(), trial.target().address());
            }
            LocalCache cache = session.localCache();
            LocalCache did = cache == null ? null : cache.since(cacheBefore);
            cacheBefore = cache;
            channel.say(slices.answer(trial.trialId(), layout.commandsPerUnit(), ending::redacted, did));
            order = channel.order(Order.SLICE, Order.FINISH);
        }
        Health now = Health.now();
        channel.say(result.of(slices, now.since(before == null ? now : before)));
        channel.awaitEnd();
    }

    /**
     * Loads the classes that record moments and health while the library loads: they load slowly,
     * and no slice should be the first to use them.
     */
    private static void loadRecorder() {
        new Moment().close();
        Health.now();
    }

    private static void checkSupport(Library library, Trial trial) {
        String objection = library.objection(trial);
        if (objection != null) {
            throw new Unsupported("%s cannot do this %s: %s"
                    .formatted(trial.client().library(), trial.scenario().word(), objection));
        }
    }

    private static List<Lane> connect(Library library, Session session, Trial trial) {
        try {
            return session.connect();
        } catch (RunnerException error) {
            throw error;
        } catch (RuntimeException error) {
            throw library.isFailure(error) ? explained(error, library, trial) : error;
        }
    }

    private static TargetFailure explained(Throwable error, Library library, Trial trial) {
        String address = trial.target().address();
        return Refusals.explain(error, library, address).orElseGet(() -> Refusals.unreachable(error, address));
    }

    private static Slices slices(
            Trial trial, Workload workload, Library library, List<Lane> lanes, Layout layout, List<Samples> samples) {
        List<Walker> walkers = IntStream.range(0, layout.walkers())
                .mapToObj(i -> walker(i, trial, layout, workload))
                .toList();
        int depth = trial.shape().slides() ? trial.shape().depth() : 1;
        ThreadKind kind = Options.of(trial, library.description().options()).threads();
        return new Slices(lanes, walkers, samples, depth, kind, library::isFailure);
    }

    private static Walker walker(int number, Trial trial, Layout layout, Workload workload) {
        return Walker.of(trial.workload(), number, layout.walkers(), layout.commandsPerUnit(), workload.length());
    }

    private static long verify(Trial trial, Workload workload, Library library, Lane lane, Layout layout) {
        Object decodesTo = Options.of(trial, library.description().options()).get(Options.DECODE);
        Verifier verifier = new Verifier(workload, layout.commandsPerUnit(), decodesTo);
        try {
            return verifier.verify(lane.unit(), walker(0, trial, layout, workload), trial.verifyCommands());
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
}
