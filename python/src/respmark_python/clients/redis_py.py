"""redis-py, synchronous: one unit of work for each scenario, done as in its documentation."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from respmark_python.clients.redis_py_base import RedisPyBase
from respmark_python.clients.redis_py_cache import REFUSAL, CountedCache
from respmark_python.clients.redis_py_options import RESP3
from respmark_python.clients.session import Lane
from respmark_python.contract.events import LocalCache
from respmark_python.contract.trial import Shape, Trial
from respmark_python.errors import UnsupportedError
from respmark_python.workload.commands import Command


class RedisPySession(RedisPyBase):
    """One trial's clients."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial)
        self._cache: CountedCache | None = None
        self.lanes: list[Lane] = LANES[trial.scenario](self, trial.shape)

    def connect(self) -> None:
        """Open every connection, so no unit of a slice has to."""
        self.check_target()
        try:
            for pool, connections in self.pools:
                opened = [_borrow(pool) for _ in range(connections)]
                for connection in opened:
                    pool.release(connection)
        except self.failures as error:
            if REFUSAL in str(error):
                raise UnsupportedError(f"this server is none that redis-py caches for: {error}") from error
            raise self.explain(error) from error

    def close(self) -> None:
        """Close every connection."""
        for pool, _ in self.pools:
            pool.disconnect()

    def threads(self, shape: Shape) -> list[Lane]:
        """Threads share clients, each with its default pool; thread i has client i mod n."""
        threads, count = shape.threads or 1, shape.connections or 1
        clients = [self.client(connections=len(range(i, threads, count))) for i in range(min(count, threads))]
        return [Lane(clients[i % count]) for i in range(threads)]

    def new_connection(self, _shape: Shape) -> list[Lane]:
        """A client made for one command and closed after it."""
        make, settings, close = self.redis.Redis, self.client_settings(), self._closer()
        has_parser, set_parser = self.options["parser"] == "python-parser", self.set_parser

        def once(commands: Iterable[Command]) -> list[Any]:
            client = make(**settings)
            if has_parser:
                set_parser(client.connection_pool)
            try:
                return [
                    call(client, key) if value is None else call(client, key, value) for key, (call, value) in commands
                ]
            finally:
                close(client)

        return [Lane(make, once)]

    def caching(self, shape: Shape) -> list[Lane]:
        """One client with its own cache; a unit calls one of its methods."""
        self._cache = CountedCache(self.redis, shape.cache_entries or 1)
        if self.options["protocol"] != RESP3:
            raise UnsupportedError("redis-py caches with RESP3 only: leave protocol as it is")
        self.settings["cache_entries"] = shape.cache_entries or 1
        return [Lane(self.client(connections=1, cache_config=self._cache.config))]

    def local_cache(self) -> LocalCache | None:
        """Return what the client's own cache has done so far; None: the client has none."""
        return None if self._cache is None else self._cache.told()

    def _closer(self) -> Callable[[Any], None]:
        """Return what closes a client; before redis-py 5 `close` left the connection to the garbage collector."""
        if hasattr(self.redis.Redis(), "auto_close_connection_pool"):
            return self.redis.Redis.close  # type: ignore[no-any-return]
        return lambda client: client.connection_pool.disconnect()


LANES: Final[dict[str, Callable[[RedisPySession, Shape], list[Lane]]]] = {
    "sync": RedisPySession.sync,
    "batching": RedisPySession.batching,
    "transaction": RedisPySession.transaction,
    "threads": RedisPySession.threads,
    "pool": RedisPySession.pool,
    "new-connection": RedisPySession.new_connection,
    "caching": RedisPySession.caching,
}
"""How each scenario makes its lanes."""


def _borrow(pool: Any) -> Any:
    """Borrow a connection from the pool; before redis-py 5.3 the pool required the command's name."""
    name = inspect.signature(pool.get_connection).parameters.get("command_name")
    return pool.get_connection("_") if name and name.default is name.empty else pool.get_connection()
