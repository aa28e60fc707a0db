"""redis.asyncio: pipelining as redis-py's documentation recommends it, many commands awaited together.

It is not pipelining on the wire: the library borrows one connection from its pool for each command in flight.
"""

import asyncio
import importlib
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from respmark_python.clients.redis_py_base import RedisPyBase
from respmark_python.clients.session import Lane
from respmark_python.contract.trial import Shape, Trial
from respmark_python.errors import UnsupportedError
from respmark_python.workload.walk import Command

Value = TypeVar("Value")


class RedisPyTaskSession(RedisPyBase):
    """One trial's asynchronous client, with the event loop that it lives on."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial)
        self._check_shape(trial.shape)
        self._depth = trial.shape.depth or 1
        self._runner = asyncio.Runner()
        self._client = self._make_client(self._depth)
        self.lanes: list[Lane] = [Lane(self._client, _burst if trial.shape.window == "burst" else None)]

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run the coroutine on the session's event loop."""
        return self._runner.run(work)

    def connect(self) -> None:
        """Open the pool's connections, so that no unit of a slice does."""
        self.check_target()
        self.run(self._open(self._depth))

    def close(self) -> None:
        """Close every connection and the event loop."""
        self.run(self._client.aclose())
        self._runner.close()

    def _check_shape(self, shape: Shape) -> None:
        if not hasattr(self.redis, "asyncio"):
            raise UnsupportedError(f"redis-py {self.redis.__version__} has no asynchronous API, so no pipelining")
        if shape.threads is not None:
            raise UnsupportedError("redis.asyncio runs on one event loop: pipelining has no threads here")

    def _make_client(self, depth: int) -> Any:
        make, settings = importlib.import_module("redis.asyncio").Redis, self.client_settings()
        client = make(**settings)
        if depth > client.connection_pool.max_connections:
            client = make(**settings, max_connections=depth)
        self.settings["max_connections"] = client.connection_pool.max_connections
        self.set_parser(client.connection_pool, "Async")
        return client

    async def _open(self, connections: int) -> None:
        pool = self._client.connection_pool
        self.settings["event_loop"] = type(asyncio.get_running_loop()).__name__
        try:
            opened = [await pool.get_connection() for _ in range(connections)]
        except self.failures as error:
            raise self.explain(error) from error
        for connection in opened:
            await pool.release(connection)


async def _burst(commands: Iterable[Command]) -> Any:
    tasks = [asyncio.ensure_future(call(key) if value is None else call(key, value)) for key, (call, value) in commands]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        # `gather` raises the first failure at once: the others must end before the next burst begins.
        await asyncio.wait(tasks)
        raise
