package respmark.clients;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Versions of what is on the class path, as Maven recorded them in the jars. */
public final class Versions {
    private Versions() {}

    /** The artifact's version. */
    public static String of(String group, String artifact) {
        String path = "/META-INF/maven/%s/%s/pom.properties".formatted(group, artifact);
        try (InputStream file = Versions.class.getResourceAsStream(path)) {
            if (file == null) {
                throw new NoClassDefFoundError(group + ":" + artifact + " is not on the class path");
            }
            Properties properties = new Properties();
            properties.load(file);
            return properties.getProperty("version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
