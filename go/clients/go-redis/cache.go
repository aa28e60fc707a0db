//go:build !before_9_22

package main

import (
	"github.com/redis/go-redis/v9"

	"respmark/runner"
)

type cacheStats = redis.CSCStats

// Cache returns a client with the library's own cache.
func (a *adapter) Cache(entries int) (runner.Client, error) {
	if a.trial.Server.Database != 0 {
		return nil, runner.Unsupported("go-redis caches in database 0 only")
	}
	options := a.options
	options.ClientSideCacheConfig = &redis.ClientSideCacheConfig{MaxEntries: entries}
	made, err := a.client(&options)
	a.cache, a.counted = made, cacheStats{}
	return made, err
}

// CacheCounts returns what the cache did since the last time; it does not count invalidations.
func (a *adapter) CacheCounts() runner.CacheCounts {
	stats := a.cache.redis.(*redis.Client).CSCStats()
	hits, misses := int(stats.Hits-a.counted.Hits), int(stats.Misses-a.counted.Misses)
	a.counted = stats
	return runner.CacheCounts{Hits: &hits, Misses: &misses}
}
