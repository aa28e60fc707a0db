package respmark.scenarios;

import respmark.contract.Trial;

/** How a scenario is laid out: walkers, commands in a unit, what one latency sample covers. */
public record Layout(int walkers, int commandsPerUnit, String sampleCovers) {
    public static Layout of(Trial trial) {
        Trial.Shape shape = trial.shape();
        int threads = shape.threads() == null ? 1 : shape.threads();
        return switch (trial.scenario()) {
            case SYNC, CACHING -> new Layout(1, 1, "command");
            case PIPELINING ->
                shape.slides() ? new Layout(threads, 1, "command") : new Layout(threads, shape.depth(), "burst");
            case BATCHING -> new Layout(1, shape.depth(), "batch");
            case TRANSACTION -> new Layout(1, shape.depth(), "transaction");
            case THREADS, POOL -> new Layout(threads, 1, "command");
            case NEW_CONNECTION -> new Layout(1, 1, "connection");
        };
    }
}
