package respmark.clients.lettuce;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import respmark.clients.Causes;
import respmark.clients.Differences;
import respmark.clients.Library;
import respmark.clients.Options;
import respmark.clients.Session;
import respmark.clients.Versions;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.Difference;
import respmark.contract.Description.Support;
import respmark.contract.Scenario;
import respmark.contract.Trial;
import respmark.workload.WordType;

/** Lettuce: one connection carries everything, asynchronously; its synchronous API waits for the same futures. */
public final class LettuceLibrary implements Library {
    private static final Map<String, String> VERSIONS = Map.of(
            "lettuce", Versions.of("io.lettuce", "lettuce-core"),
            "netty", Versions.of("io.netty", "netty-common"),
            "commons-pool2", Versions.of("org.apache.commons", "commons-pool2"));

    @Override
    public ClientDescription description() {
        Map<String, String> dependencies = new LinkedHashMap<>(VERSIONS);
        String version = dependencies.remove("lettuce");
        return new ClientDescription(
                "lettuce",
                version,
                dependencies,
                LettuceOptions.values(),
                Map.of(
                        Scenario.CACHING, Support.PLAIN,
                        Scenario.SYNC, Support.PLAIN,
                        Scenario.PIPELINING, new Support(List.of("burst", "sliding"), List.of()),
                        Scenario.BATCHING, Support.PLAIN,
                        Scenario.TRANSACTION, new Support(List.of(), List.of("batched")),
                        Scenario.THREADS, Support.PLAIN,
                        Scenario.POOL, Support.PLAIN,
                        Scenario.NEW_CONNECTION, Support.PLAIN),
                Differences.with(List.of(new Difference(
                        "CacheAccessor of ClientSideCaching",
                        "none: users bring a map",
                        "a LinkedHashMap of cache_entries, least recently used first to go, that counts",
                        "the same limit and order as the other libraries' caches have",
                        List.of(Scenario.CACHING)))));
    }

    @Override
    public Map<String, String> versions() {
        return VERSIONS;
    }

    @Override
    public String objection(Trial trial) {
        Options options = Options.of(trial, LettuceOptions.values());
        chooseTransport(options);
        if ("queued".equals(trial.shape().form())) {
            return "Lettuce sends the commands of a transaction without waiting: it has form batched, not queued";
        }
        if (trial.scenario() == Scenario.CACHING) {
            return objectionToCaching(options);
        }
        if (!options.is(LettuceOptions.API, "sync")) {
            if (trial.scenario() == Scenario.POOL) {
                return "its asynchronous pool refuses where all connections are lent, and lets nobody wait; use api=sync";
            }
            if (trial.scenario() == Scenario.NEW_CONNECTION) {
                return "connecting and closing are the same work with each of its APIs; use api=sync";
            }
        }
        if (options.is(LettuceOptions.TRANSPORT, "epoll") && !Transport.hasEpoll()) {
            return "the native transport epoll is not available on this system; use transport=nio";
        }
        if (trial.target().unixSocket() != null && options.is(LettuceOptions.TRANSPORT, "nio")) {
            return "Lettuce reaches unix sockets only through its native transport; use transport=epoll";
        }
        return options.objection();
    }

    private static String objectionToCaching(Options options) {
        if (!options.is(LettuceOptions.API, "sync")) {
            return "its cache frontend is of the synchronous API; use api=sync";
        }
        if (options.get(Options.PROTOCOL).equals(2)) {
            return "with RESP2 it hears nothing of what changed; leave protocol as it is";
        }
        return options.is(Options.DECODE, "text")
                ? options.objection()
                : "a map finds a byte[] by its identity, so that its cache would never find a key; use decode=text";
    }

    /** Lettuce uses the best transport on the class path; as installed, with no native one, NIO. */
    private static void chooseTransport(Options options) {
        System.setProperty("io.lettuce.core.epoll", String.valueOf(options.is(LettuceOptions.TRANSPORT, "epoll")));
        System.setProperty("io.lettuce.core.iouring", "false");
    }

    @Override
    public Session load(Trial trial) {
        Options options = Options.of(trial, LettuceOptions.values());
        return options.is(Options.DECODE, "text")
                ? new LettuceSession<>(trial, options, WordType.TEXT, StringCodec.UTF8)
                : new LettuceSession<>(trial, options, WordType.BYTES, ByteArrayCodec.INSTANCE);
    }

    @Override
    public boolean isFailure(Throwable error) {
        return error instanceof RedisException
                || error instanceof NoSuchElementException
                || error instanceof CancellationException
                || error instanceof IOException;
    }

    @Override
    public boolean isDisconnection(Throwable error) {
        return Causes.any(
                error,
                cause -> cause instanceof RedisConnectionException
                        || cause instanceof RedisCommandTimeoutException
                        || cause instanceof IOException);
    }
}
