package org.respmark.bench;

import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import redis.clients.jedis.Jedis;

/** Versions of the libraries, as recorded in their own jars. */
final class Libraries {
    private Libraries() {}

    static String jedis() {
        return version(Jedis.class, "/META-INF/maven/redis.clients/jedis/pom.properties");
    }

    static String lettuce() {
        return version(RedisClient.class, "/META-INF/maven/io.lettuce/lettuce-core/pom.properties");
    }

    private static String version(Class<?> member, String resource) {
        try (InputStream stream = member.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("the jar has no " + resource + "; build it anew");
            }
            Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
