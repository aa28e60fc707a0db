package respmark;

/** What `adapter` in client.toml names: a class with a constructor without parameters. */
public interface Library {
    /** Loads the library for this trial; opens no connection. */
    Client<?, ?> load(Trial trial);

    /** The version of the jar that the class is from, as Maven names it. */
    static String version(Class<?> type) {
        String jar = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.replaceFirst(".*-(\\d[^/]*)\\.jar$", "$1");
    }
}
