"""redis.asyncio: one unit of work for each scenario, done as in redis-py's documentation.

Its pipelining, many commands awaited together, is not pipelining on the wire: the library borrows one connection from
its pool for each command in flight. Only the commands of its pipeline object share a connection, and that is batching.
"""

import asyncio
import importlib
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from respmark_python.clients.redis_py_base import RedisPyBase
from respmark_python.clients.session import Lane
from respmark_python.contract.trial import Shape, Trial
from respmark_python.errors import UnsupportedError
from respmark_python.workload.commands import Command

Value = TypeVar("Value")


class RedisPyTaskSession(RedisPyBase):
    """One trial's asynchronous client, with the event loop that it runs on."""

    parser_prefix = "Async"

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial)
        self._check_support(trial)
        self.settings["api"] = "asyncio"
        self.module = importlib.import_module("redis.asyncio")
        self._runner = asyncio.Runner()
        self.lanes: list[Lane] = LANES[trial.scenario](self, trial.shape)

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run the coroutine on the session's event loop."""
        return self._runner.run(work)

    def connect(self) -> None:
        """Open every connection, so no unit of a slice has to."""
        self.check_target()
        self.run(self._open())

    def close(self) -> None:
        """Close every connection and the event loop."""
        self.run(self._disconnect())
        self._runner.close()

    def pipelining(self, shape: Shape) -> list[Lane]:
        """One client: a unit is a burst of its coroutines, or a single one beside those of other tasks."""
        client = self.client(connections=shape.depth or 1)
        return [Lane(client, _burst if shape.window == "burst" else None)]

    def new_connection(self, _shape: Shape) -> list[Lane]:
        """A client made for one command and closed after it."""
        make, settings, close = self.module.Redis, self.client_settings(), self.module.Redis.aclose
        has_parser, set_parser = self.options["parser"] == "python-parser", self.set_parser

        async def once(commands: Iterable[Command]) -> list[Any]:
            client = make(**settings)
            if has_parser:
                set_parser(client.connection_pool)
            try:
                return [
                    await (call(client, key) if value is None else call(client, key, value))
                    for key, (call, value) in commands
                ]
            finally:
                await close(client)

        return [Lane(make, once)]

    def _check_support(self, trial: Trial) -> None:
        if not hasattr(self.redis, "asyncio"):
            raise UnsupportedError(f"redis-py {self.redis.__version__} has no asynchronous API, so no pipelining")
        if trial.scenario == "caching":
            raise UnsupportedError("redis.asyncio has no client-side caching")
        if trial.scenario not in LANES:
            raise UnsupportedError(f"a client of redis.asyncio lives on one event loop: no {trial.scenario} share it")
        if trial.scenario == "pipelining" and trial.shape.threads is not None:
            raise UnsupportedError("redis.asyncio runs on one event loop: pipelining has no threads here")

    async def _open(self) -> None:
        self.settings["event_loop"] = type(asyncio.get_running_loop()).__name__
        try:
            for pool, connections in self.pools:
                opened = [await pool.get_connection() for _ in range(connections)]
                for connection in opened:
                    await pool.release(connection)
        except self.failures as error:
            raise self.explain(error) from error

    async def _disconnect(self) -> None:
        for pool, _ in self.pools:
            await pool.disconnect()


LANES: Final[dict[str, Callable[[RedisPyTaskSession, Shape], list[Lane]]]] = {
    "pipelining": RedisPyTaskSession.pipelining,
    "sync": RedisPyTaskSession.sync,
    "batching": RedisPyTaskSession.batching,
    "transaction": RedisPyTaskSession.transaction,
    "pool": RedisPyTaskSession.pool,
    "new-connection": RedisPyTaskSession.new_connection,
}
"""How each scenario makes its lanes."""


async def _burst(commands: Iterable[Command]) -> Any:
    tasks = [asyncio.ensure_future(call(key) if value is None else call(key, value)) for key, (call, value) in commands]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        # `gather` raises the first failure at once: the others must end before the next burst begins.
        await asyncio.wait(tasks)
        raise
