package respmark;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Opens every connection that a scenario uses, and makes its walkers. */
record Scenario<C extends AutoCloseable, W>(Client<C, W> client, Commands<W> commands, Trial trial, Trial.Shape shape) {
    /** What makes a walker for each walk. */
    Function<Walker.Place, Walker> open() throws Exception {
        return switch (trial.scenario()) {
            case "sync" -> command(client.connect(1));
            case "pipelining" -> pipelining(client.connect(trial.walkers()));
            case "batching" -> units(client.batch(client.connect(1), commands, shape.depth()));
            case "transaction" -> units(client.transaction(client.connect(1), commands, shape.depth(), shape.form()));
            case "threads" -> threads(Math.max(1, Math.min(shape.connections(), shape.threads())));
            case "pool" -> units(client.pool(commands, shape.threads(), shape.maxTotal(), maxIdle()));
            case "new-connection" -> newConnection();
            case "caching" -> units(client.cache(commands, shape.cacheEntries()));
            default -> throw new IllegalArgumentException(trial.scenario());
        };
    }

    private static Function<Walker.Place, Walker> units(Unit unit) {
        return place -> new Walker(place, unit);
    }

    /** One command after another. */
    private Function<Walker.Place, Walker> command(C on) {
        if (client.isAsync()) {
            return place -> client.window(on, commands, 1, place);
        }
        Commands.Calls<C> calls = commands.with(client.commands());
        return units(first -> calls.send(on, first));
    }

    /** Threads share one client. */
    private Function<Walker.Place, Walker> pipelining(C shared) {
        return place -> trial.isSliding()
                ? client.window(shared, commands, shape.depth(), place)
                : new Walker(place, client.burst(shared, commands, shape.depth()));
    }

    /** Threads share clients; thread i has client i mod n. */
    private Function<Walker.Place, Walker> threads(int clients) throws Exception {
        List<Function<Walker.Place, Walker>> commands = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            commands.add(command(client.connect((shape.threads() - i + clients - 1) / clients)));
        }
        return place -> commands.get(place.number() % shape.threads() % clients).apply(place);
    }

    private int maxIdle() {
        return shape.maxIdle() == 0 ? shape.maxTotal() : shape.maxIdle();
    }

    /** Keeps no connection: one that is closed at once shows whether there is a server. */
    private Function<Walker.Place, Walker> newConnection() throws Exception {
        client.connect(1).close();
        return units(client.newConnection(commands));
    }
}
