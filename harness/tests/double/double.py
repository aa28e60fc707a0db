"""redis-py's adapter with a mistake, or an end, that its option `mode` names."""

import os
import sys
import time
from asyncio import Lock
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from redis_py import Asyncio, Blocking

VERIFIED: Final = 100
"""Commands that are verified before the first slice."""
VERSION: Final = "".join(sys.argv[1:]).partition("-")[2] or "1.0"
"""What its environment is named after; it has the same redis-py in all of them."""
BROKEN: Final = "9.0.0"
"""The release that does not run."""


def load(trial: SimpleNamespace) -> Blocking:
    """Return the adapter."""
    if VERSION == BROKEN:
        raise RuntimeError("this release does not run here")
    trial.options |= {"parser": "hiredis", "api": "sync", "client": "shared", "decode": "bytes"}
    return Tasks(trial) if trial.scenario == "pipelining" else Mistaken(trial)


class Mistaken(Blocking):
    """redis.Redis, and what `mode` makes of it."""

    def __init__(self, trial: SimpleNamespace) -> None:
        super().__init__(trial)
        self.mode: str = trial.options["mode"]
        self.versions = {"double": VERSION}
        self.done, self.only = 0, None
        self.commands = {name: self.mistaken(method) for name, method in self.commands.items()}

    def mistaken(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a command's method as the mode has it."""

        def call(client: Any, *arguments: Any) -> Any:
            if self.mode == "ends-server" and self.done == VERIFIED and not told():
                client.shutdown(nosave=True)
            self.began()
            if self.mode == "talkative":
                client.echo("are you there?")
            try:
                reply = method(client, *arguments)
            except self.redis.RedisError:
                if self.mode != "swallows":
                    raise
                return None
            return reply[:1] if self.mode == "undecoded" and isinstance(reply, bytes) else reply

        return call

    def began(self) -> None:
        """Count a command; when those that are verified are done, fail as the mode says."""
        self.done += 1
        if self.done <= VERIFIED:
            return
        tell()
        if self.mode == "crashes-in-slice":
            raise SystemExit("double: broke in the slice")
        if self.mode == "hangs-in-slice":
            time.sleep(3600)
        if self.mode == "slow":
            time.sleep(1.5)
        if self.mode == "raises" and self.done % 40 == 0:
            raise self.redis.ResponseError("one went wrong")

    def connect(self, connections: int = 1) -> Any:
        """Return a client, or end."""
        end_early(self.mode, self.trial.server["password"] or "")
        if self.mode == "reused":
            self.only = self.only or super().connect(connections)
            return self.only
        return super().connect(connections)

    def close(self, client: Any) -> None:
        """Close a client."""
        if client is not self.only:
            client.close()

    def pool(self, max_total: int, max_idle: int | None, wait_s: float) -> Any:
        """Return a client with a pool."""
        return self.connect(1000) if self.mode == "big-pool" else super().pool(max_total, max_idle, wait_s)

    def batch(self, client: Any, commands: Iterable[Any]) -> list[Any]:
        """Send commands at once, in two halves, or in the transaction that is the library's default."""
        every = list(commands)
        if self.mode == "atomic":
            return list(self.transaction(client, every))
        middle = len(every) // 2 if self.mode == "halves" else 0
        first = super().batch(client, every[:middle]) if middle else []
        return [*first, *super().batch(client, every[middle:])]


class Tasks(Asyncio):
    """redis.asyncio.Redis; with a mistake, each command waits for the reply to the one before it."""

    def __init__(self, trial: SimpleNamespace) -> None:
        super().__init__(trial)
        self.versions = {"double": VERSION}
        if trial.options["mode"] == "one-by-one":
            turn = Lock()
            self.commands = {name: one_by_one(method, turn) for name, method in self.commands.items()}


def one_by_one(method: Callable[..., Any], turn: Lock) -> Callable[..., Any]:
    """Return a method that waits for its turn."""

    async def call(client: Any, *arguments: Any) -> Any:
        async with turn:
            return await method(client, *arguments)

    return call


def end_early(mode: str, password: str) -> None:
    """Do what a broken program does when it is to connect."""
    if mode == "unsupported":
        raise NotImplementedError("this client cannot do that")
    if mode == "crashes":
        raise RuntimeError("something broke here")
    if mode == "hangs":
        tell()
        time.sleep(3600)
    if mode == "tells":
        print(f"\x1b[2J[red]cannot log in with {password}" + "x" * 10_000_000, file=sys.stderr, flush=True)
        os._exit(1)


def told() -> bool:
    """Return whether there is a mark, which a trial before has left."""
    return Path(os.environ["DOUBLE_TELLS"]).exists()


def tell() -> None:
    """Leave a mark where a test asks for one: from now on it hangs, or works."""
    if "DOUBLE_TELLS" in os.environ:
        Path(os.environ["DOUBLE_TELLS"]).touch()
