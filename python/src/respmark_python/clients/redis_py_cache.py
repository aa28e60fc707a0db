"""redis-py's own cache of what GETs returned, with counters that cost a hit nothing.

The library reports hits and misses only if OpenTelemetry is set up, which would cost every command. So misses are
counted where the cache takes in a command that is about to be sent, and invalidations where it drops what the server
says has changed.
"""

import importlib
from typing import Any, Final

from respmark_python.contract.events import LocalCache
from respmark_python.errors import UnsupportedError

REFUSAL: Final = "client-side caching is supported by"
"""Part of what the library says if it does not cache for this server."""


def has_cache(redis: Any) -> bool:
    """Return whether the loaded version has its own cache."""
    try:
        return hasattr(importlib.import_module(f"{redis.__name__}.cache"), "CacheConfig")
    except ImportError:
        return False


class CountedCache:
    """A client's cache of `entries` entries, otherwise set as installed."""

    def __init__(self, redis: Any, entries: int) -> None:
        if not has_cache(redis):
            raise UnsupportedError(f"redis-py {redis.__version__} has no client-side caching")
        self._library = importlib.import_module("redis.cache")
        self._misses = self._invalidations = 0
        self.config: Any = self._library.CacheConfig(max_size=entries, cache_class=self._make)
        """What the client is given as its configuration."""

    def told(self) -> LocalCache:
        """Return what it has done so far."""
        return LocalCache(None, self._misses, self._invalidations)

    def _make(self, cache_config: Any) -> Any:
        cache = self._library.DefaultCache(cache_config)
        take_in, drop, about_to_be_sent = (
            cache.set,
            cache.delete_by_redis_keys,
            self._library.CacheEntryStatus.IN_PROGRESS,
        )

        def counted_take_in(entry: Any) -> Any:
            if entry.status is about_to_be_sent:
                self._misses += 1
            return take_in(entry)

        def counted_drop(keys: Any) -> Any:
            dropped = drop(keys)
            self._invalidations += len(dropped)
            return dropped

        cache.set, cache.delete_by_redis_keys = counted_take_in, counted_drop
        return cache
