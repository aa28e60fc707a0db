"""No client at all: its commands do nothing. A trial of it shows what the loops themselves cost every client."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, ClassVar

COMMANDS = (
    *("GET", "SET", "SETEX", "GETRANGE", "MGET", "MSET", "EXPIRE", "INCRBY"),
    *("LPUSH", "LTRIM", "LRANGE", "HGETALL", "SADD", "ZADD", "PING", "*"),
)


def load(trial: SimpleNamespace) -> Any:
    """Return the adapter."""
    return Asyncio() if trial.scenario == "pipelining" else Blocking()


def nothing(_client: None, *_arguments: Any) -> None:
    """Do nothing."""


async def nothing_soon(_client: None, *_arguments: Any) -> None:
    """Do nothing when awaited."""


class Blocking:
    """Nothing that blocks."""

    kind = "blocking"
    commands: ClassVar = dict.fromkeys(COMMANDS, nothing)
    versions: ClassVar = {"null": "0"}
    settings: ClassVar[dict[str, str]] = {}

    def connect(self, *_arguments: Any) -> None:
        """There is nothing to connect to."""

    open = pool = close = connect

    def batch(self, client: None, commands: Iterable[Any]) -> list[None]:
        """Do nothing many times."""
        return [call(client, key) if value is None else call(client, key, value) for key, (call, value) in commands]

    transaction = batch


class Asyncio:
    """Nothing that is awaited."""

    kind = "async"
    commands: ClassVar = dict.fromkeys(COMMANDS, nothing_soon)
    versions: ClassVar = {"null": "0"}
    settings: ClassVar[dict[str, str]] = {}

    async def connect(self, *_arguments: Any) -> None:
        """There is nothing to connect to."""

    open = close = connect
