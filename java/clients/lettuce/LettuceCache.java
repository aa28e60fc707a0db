import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import io.lettuce.core.support.caching.CacheAccessor;
import java.util.concurrent.atomic.AtomicLong;
import respmark.Client;

/** The cache that users of Lettuce bring: Caffeine, with a limit. Lettuce evicts what the server says has changed. */
final class LettuceCache<W> implements CacheAccessor<W, W> {
    private final Cache<W, W> cache;
    private final AtomicLong invalidations = new AtomicLong();

    LettuceCache(int entries) {
        cache = Caffeine.newBuilder().maximumSize(entries).recordStats().build();
    }

    @Override
    public W get(W key) {
        return cache.getIfPresent(key);
    }

    @Override
    public void put(W key, W value) {
        cache.put(key, value);
    }

    @Override
    public void evict(W key) {
        if (cache.asMap().remove(key) != null) {
            invalidations.incrementAndGet();
        }
    }

    Client.CacheCounts counts() {
        CacheStats stats = cache.stats();
        return new Client.CacheCounts(stats.hitCount(), stats.missCount(), invalidations.get());
    }
}
