package respmark;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Opens every connection that a scenario uses, makes its walkers, and closes the connections. */
final class Scenario<C extends AutoCloseable, W> {
    private final Client<C, W> client;
    private final Commands<W> commands;
    private final Trial trial;
    private final Trial.Shape shape;
    private final List<C> opened = new ArrayList<>();

    Scenario(Client<C, W> client, Commands<W> commands, Trial trial) {
        this.client = client;
        this.commands = commands;
        this.trial = trial;
        shape = trial.shape();
    }

    /** Opens the connections; returns the walkers, one for each place. */
    List<Walker> open(List<Walker.Place> places) throws Exception {
        List<Function<Walker.Place, Walker>> makers = switch (trial.scenario()) {
            case "sync" -> List.of(units(client.command(connect(1), commands)));
            case "pipelining" -> List.of(pipelining(connect(places.size())));
            case "batching" -> batching(places.size());
            case "transaction" -> List.of(units(client.transaction(connect(1), commands, shape.depth(), shape.form())));
            case "threads" -> threads(places.size());
            case "pool" -> List.of(units(client.pool(commands, places.size(), shape.maxTotal(), shape.mostIdle())));
            case "new-connection" -> List.of(newConnection());
            case "caching" -> List.of(units(client.cache(commands, shape.cacheEntries())));
            default -> throw new IllegalArgumentException(trial.scenario());
        };
        return IntStream.range(0, places.size())
                .mapToObj(i -> makers.get(i % makers.size()).apply(places.get(i)))
                .toList();
    }

    private C connect(int threads) throws Exception {
        C connected = client.connect(threads);
        opened.add(connected);
        return connected;
    }

    private static Function<Walker.Place, Walker> units(Unit unit) {
        return place -> new Walker(place, unit);
    }

    /** Threads share one client. */
    private Function<Walker.Place, Walker> pipelining(C shared) {
        return place -> trial.isSliding()
                ? client.window(shared, commands, shape.depth(), place)
                : new Walker(place, client.burst(shared, commands, shape.depth()));
    }

    /** Each walker has a client of its own. */
    private List<Function<Walker.Place, Walker>> batching(int walkers) throws Exception {
        List<Function<Walker.Place, Walker>> makers = new ArrayList<>();
        for (int i = 0; i < walkers; i++) {
            makers.add(units(client.batch(connect(1), commands, shape.depth())));
        }
        return makers;
    }

    /** Threads share clients; thread i has client i mod n. */
    private List<Function<Walker.Place, Walker>> threads(int threads) throws Exception {
        int clients = Math.max(1, Math.min(shape.connections(), threads));
        List<Function<Walker.Place, Walker>> makers = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            makers.add(units(client.command(connect((threads - i + clients - 1) / clients), commands)));
        }
        return makers;
    }

    /** Keeps no connection: one that is closed at once shows whether there is a server. */
    private Function<Walker.Place, Walker> newConnection() throws Exception {
        client.connect(1).close();
        return units(client.newConnection(commands));
    }

    void close() throws Exception {
        for (C one : opened) {
            one.close();
        }
        client.close();
    }
}
