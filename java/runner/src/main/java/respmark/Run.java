package respmark;

import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/** A trial, from its line to the next one's, or to the end of the input. */
final class Run<C extends AutoCloseable, W> {
    private final Trial trial;
    private final Client<C, W> client;
    private final Commands<W> commands;
    private final Samples samples;
    private final Scenario<C, W> scenario;
    private final Slices slices;
    private List<Walker> walkers;
    private Client.CacheCounts counted;
    /** Null where the trial has none. */
    private KeepGoing going;

    /** Prepares every command; opens no connection. */
    Run(Trial trial, Client<C, W> client, ExecutorService threads) throws Exception {
        this.trial = trial;
        this.client = client;
        slices = new Slices(threads);
        // What loading left behind is collected to make room for the commands, which then lie together where no
        // collection moves them.
        System.gc();
        commands = Commands.read(trial.workload(), client.words(), trial.commandsPerUnit());
        samples = new Samples(trial.samples(), trial.open());
        scenario = new Scenario<>(client, commands, trial);
        Moment.now();
        System.gc();
    }

    /** The same, of the adapter that the trial names. */
    static Run<?, ?> of(Trial trial) throws Exception {
        ExecutorService threads = threads(trial);
        Class<? extends Library> adapter = Class.forName(trial.adapter()).asSubclass(Library.class);
        return new Run<>(trial, adapter.getConstructor().newInstance().load(trial), threads);
    }

    private static ExecutorService threads(Trial trial) throws ReflectiveOperationException {
        return Slices.threads(trial.is("threads", "virtual"));
    }

    /** The line that answers the trial. */
    String loaded() throws Exception {
        Map<String, String> versions = new HashMap<>(client.versions());
        versions.put("java", System.getProperty("java.runtime.version"));
        versions.put("jvm", System.getProperty("java.vm.vendor") + " " + System.getProperty("java.vm.name"));
        Map<String, Object> settings = new HashMap<>(client.settings());
        settings.put(
                "jvm_flags",
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        return Json.line("loaded", Map.of("contract", 4, "versions", versions, "settings", settings));
    }

    /** Carries out an order; returns the line that answers it. */
    String answer(Order order) throws Exception {
        if (order.connect() != null) {
            connect();
            return Json.line("connected", Map.of());
        }
        if (order.echo() != null) {
            List<Object> replies = new Replies<>(client, commands, trial.isGrouped()).of(walkers.get(0), order.echo());
            counted = client.cacheCounts();
            return Json.line("replies", replies);
        }
        if (order.work() != null) {
            return Json.line("worked", work(order.work()));
        }
        if (order.keepGoing() != null) {
            keepGoing(order.keepGoing());
            return Json.line("went", Map.of());
        }
        return order.bare() == null
                ? Json.line("samples", samples.take())
                : Json.line("bared", bare(walkers.get(0), order.bare()));
    }

    private void connect() throws Exception {
        walkers = scenario.open(Collections.nCopies(trial.walkers(), place()));
        slices.start(walkers);
    }

    private Walker.Place place() {
        int count = commands.count();
        return new Walker.Place(
                count, trial.commandsPerUnit() % count, trial.samples() / trial.walkers(), trial.open());
    }

    private Worked work(Order.Work order) throws Exception {
        boolean isOpen = order.arrivals() != null;
        Arrivals arrivals = isOpen ? new Arrivals(order.arrivals(), pause()) : null;
        Worked worked = slices.work(order, arrivals);
        if (order.keep()) {
            samples.add(walkers);
        }
        Client.CacheCounts before = counted;
        counted = client.cacheCounts();
        worked.cache = counted == null ? null : counted.since(before);
        return worked;
    }

    private void keepGoing(Order.KeepGoing order) throws Exception {
        going = new KeepGoing(order);
        going.perform(walkers, () -> new Replies<>(client, commands, trial.isGrouped()), threads(trial));
    }

    /** Lets virtual threads that share this one's carrier have a turn; the system's need no such help. */
    private Runnable pause() {
        return trial.is("threads", "virtual") ? Thread::yield : Thread::onSpinWait;
    }

    /** The loop that a user would write: what the measured one costs shows beside it. */
    private static Map<String, Object> bare(Walker walker, Order.Bare order) throws Exception {
        Unit unit = walker.unit();
        walker.begin(order.first(), null);
        long[] started = Moment.now();
        long units = 0;
        do {
            unit.perform(walker.take());
            units++;
        } while (System.nanoTime() < started[0] + order.ns());
        return Map.of("units", units, "started", started, "ended", Moment.now());
    }

    /** Ends its threads, and closes what it opened. */
    void close() throws Exception {
        slices.close();
        if (going == null) {
            scenario.close();
        } else {
            going.close(scenario::close);
        }
    }
}
