import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.csc.CacheStats;
import redis.clients.jedis.exceptions.JedisException;
import respmark.Client;

/** The library's own cache, from version 5.2 on. */
final class JedisCaches {
    private static final String CACHES_FOR = "Client side caching is only supported with";

    private JedisCaches() {}

    /** What to throw where a client with a cache could not be made: this server may be none that it caches for. */
    static RuntimeException refused(JedisException error) {
        String reason = String.valueOf(
                error.getCause() == null ? error : error.getCause().getMessage());
        return reason.startsWith(CACHES_FOR) ? new UnsupportedOperationException(reason) : error;
    }

    static Client.CacheCounts counts(Cache cache) {
        if (cache == null) {
            return null;
        }
        CacheStats stats = cache.getStats();
        return new Client.CacheCounts(stats.getHitCount(), stats.getMissCount(), stats.getInvalidationCount());
    }
}
