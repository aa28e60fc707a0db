package respmark.clients.lettuce;

import io.lettuce.core.support.caching.CacheAccessor;
import java.util.LinkedHashMap;
import java.util.Map;
import respmark.contract.Event.LocalCache;

/**
 * The map that a user of Lettuce supplies as the cache. This one holds a limited number of entries,
 * evicts the least recently used first, and counts. Lettuce's own thread drops the entries that the
 * server says have changed.
 */
final class CountedMap<W> implements CacheAccessor<W, W> {
    private static final float LOAD_FACTOR = 0.75f;

    private final Map<W, W> map;
    private long hits;
    private long misses;
    private long invalidations;

    CountedMap(int entries) {
        map = new LinkedHashMap<>(entries, LOAD_FACTOR, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<W, W> eldest) {
                return size() > entries;
            }
        };
    }

    @Override
    public synchronized W get(W key) {
        W value = map.get(key);
        if (value == null) {
            misses++;
        } else {
            hits++;
        }
        return value;
    }

    @Override
    public synchronized void put(W key, W value) {
        map.put(key, value);
    }

    @Override
    public synchronized void evict(W key) {
        if (map.remove(key) != null) {
            invalidations++;
        }
    }

    synchronized LocalCache told() {
        return new LocalCache(hits, misses, invalidations);
    }
}
