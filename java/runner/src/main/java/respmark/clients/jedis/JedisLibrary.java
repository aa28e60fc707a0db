package respmark.clients.jedis;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import respmark.clients.Causes;
import respmark.clients.Differences;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.clients.Versions;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.Support;
import respmark.contract.Scenario;
import respmark.contract.Trial;

/** Jedis, whose whole API is synchronous. */
public final class JedisLibrary implements Library {
    private static final String VERSION = Versions.of("redis.clients", "jedis");
    private static final String POOL_VERSION = Versions.of("org.apache.commons", "commons-pool2");

    @Override
    public ClientDescription description() {
        return new ClientDescription(
                "jedis",
                VERSION,
                Map.of("commons-pool2", POOL_VERSION),
                options(),
                scenarios(),
                Differences.with(JedisClient.DIFFERENCES));
    }

    private static Map<Scenario, Support> scenarios() {
        Map<Scenario, Support> scenarios = new EnumMap<>(Map.of(
                Scenario.SYNC, Support.PLAIN,
                Scenario.BATCHING, Support.PLAIN,
                Scenario.TRANSACTION, new Support(List.of(), JedisClient.FORMS),
                Scenario.THREADS, Support.PLAIN,
                Scenario.POOL, Support.PLAIN,
                Scenario.NEW_CONNECTION, Support.PLAIN));
        if (JedisClient.HAS_CACHE) {
            scenarios.put(Scenario.CACHING, Support.PLAIN);
        }
        return scenarios;
    }

    /** The options of every library; not every version of Jedis speaks RESP3. */
    static Map<String, List<Object>> options() {
        Map<String, List<Object>> options = Options.common();
        options.put(Options.PROTOCOL, JedisClient.PROTOCOLS);
        return options;
    }

    @Override
    public Map<String, String> versions() {
        return Map.of("jedis", VERSION, "commons-pool2", POOL_VERSION);
    }

    @Override
    public String objection(Trial trial) {
        if (trial.scenario() == Scenario.PIPELINING) {
            return "Jedis has only a synchronous API; its pipelines are batching";
        }
        if (trial.scenario() == Scenario.CACHING) {
            if (!JedisClient.HAS_CACHE) {
                return "Jedis %s has no client-side caching".formatted(VERSION);
            }
            if (trial.client().options().getOrDefault(Options.PROTOCOL, 3).equals(2)) {
                return "Jedis caches with RESP3 only: leave protocol as it is";
            }
        }
        if (trial.target().unixSocket() != null) {
            return "Jedis opens no unix sockets by itself; name host and port";
        }
        String form = trial.shape().form();
        if (form != null && !JedisClient.FORMS.contains(form)) {
            return "Jedis %s sends the commands of a transaction without waiting: it has form %s, not %s"
                    .formatted(VERSION, String.join(", ", JedisClient.FORMS), form);
        }
        return Options.of(trial, options()).objection();
    }

    @Override
    public Session load(Trial trial) {
        return new JedisSession(trial);
    }

    @Override
    public boolean isFailure(Throwable error) {
        return error instanceof JedisException;
    }

    @Override
    public boolean isDisconnection(Throwable error) {
        return Causes.any(error, cause -> cause instanceof JedisConnectionException || cause instanceof IOException);
    }
}
