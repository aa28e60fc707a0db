package respmark.clients;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import respmark.clients.jedis.JedisLibrary;
import respmark.clients.lettuce.LettuceLibrary;
import respmark.contract.Description;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.MissingClient;
import respmark.contract.Trial;
import respmark.errors.InvalidInput;
import respmark.errors.RunnerException;
import respmark.errors.Unsupported;
import respmark.scenarios.ThreadKind;

/** Every client library that this runner knows; each is loaded only when asked for. */
public final class Registry {
    private static final String ADVICE = "run `make setup`, or `mvn package` in the folder java";

    private Registry() {}

    private static Map<String, Supplier<Library>> loaders() {
        Map<String, Supplier<Library>> loaders = new LinkedHashMap<>();
        loaders.put("jedis", JedisLibrary::new);
        loaders.put("lettuce", LettuceLibrary::new);
        return loaders;
    }

    /** Loads the library that the trial names, in the version that it names. */
    public static Library load(Trial trial) {
        Trial.Client client = trial.client();
        Supplier<Library> loader = client.library().equals(NullLibrary.NAME)
                ? NullLibrary::new
                : loaders().get(client.library());
        if (loader == null) {
            throw new InvalidInput("trial.client.library must be one of %s, not %s"
                    .formatted(String.join(", ", loaders().keySet()), client.library()));
        }
        Library library = loaded(client.library(), loader);
        String version = library.description().version();
        if (client.version() != null && !client.version().equals(version)) {
            throw new Unsupported(("this environment has %1$s %2$s, not %3$s: "
                            + "run the trial in the environment %1$s-%3$s, which `make setup` makes")
                    .formatted(client.library(), version, client.version()));
        }
        return library;
    }

    private static Library loaded(String name, Supplier<Library> loader) {
        try {
            return loader.get();
        } catch (LinkageError error) {
            throw new RunnerException("%s cannot be loaded (%s): %s".formatted(name, error, ADVICE), error);
        }
    }

    /** Tries to load every known library: those that load, and what is missing for the others. */
    public static Description describe() {
        List<ClientDescription> clients = new ArrayList<>();
        List<MissingClient> missing = new ArrayList<>();
        loaders().forEach((name, loader) -> {
            try {
                clients.add(loader.get().description());
                if (!ThreadKind.hasVirtual()) {
                    missing.add(new MissingClient(
                            name + "[" + Options.THREADS + "=virtual]",
                            "JDK %d has no virtual threads that can share a pool"
                                    .formatted(Runtime.version().feature()),
                            "put a JDK 24 or later first on PATH"));
                }
            } catch (LinkageError error) {
                missing.add(new MissingClient(name, error.toString(), ADVICE));
            }
        });
        return new Description(clients, missing);
    }
}
