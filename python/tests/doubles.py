"""A small workload file, and an adapter whose client writes down what it is asked."""

import asyncio
import json
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from time import monotonic_ns
from typing import Any

KINDS: dict[str, list[Any]] = {
    "GET": ["key"],
    "SET": ["key", "value"],
    "SETEX": ["key", {"literal": 86400}, "value"],
    "EXPIRE": ["key", {"literal": 86400}],
    "LRANGE": ["key", {"literal": 0}, {"literal": 9}],
    "ZADD": ["key", {"literal": 1.5}, "value"],
    "MGET": ["key", "key"],
    "MSET": ["key", "value", "key", "value"],
    "PING": [],
}


def write_workload(folder: Path, *names: str) -> Path:
    """Write a file of these commands; their keys are k0, k1, …, and values are `a` and `bb` in turn."""
    steps = [[i, *(place % 2 for place in range(KINDS[name].count("value")))] for i, name in enumerate(names)]
    header = {
        "commands": len(names),
        "key_bytes": 2,
        "values": [1, 2],
        "kinds": [{"name": name, "arguments": KINDS[name]} for name in names],
        "steps": steps,
    }
    keys = "".join(f"k{i}" for i in range(sum(KINDS[name].count("key") for name in names)))
    path = folder / "some.columns"
    content = array("H", range(len(names))).tobytes() + keys.encode() + b"abb"
    path.write_bytes(json.dumps(header).encode() + b"\n" + content)
    return path


def write_dues(folder: Path, dues: list[int]) -> Path:
    """Write a file of times at which units are due."""
    path = folder / "some.due"
    path.write_bytes(array("q", dues).tobytes())
    return path


def keep_going(folder: Path, dues: list[int], until: int, *firsts: int) -> dict[str, Any]:
    """Return the order to keep going until that many ns from now, with units that are due at such times."""
    at, files = monotonic_ns(), {"log": str(folder / "log"), "enough": str(folder / "enough")}
    due = {"file": str(write_dues(folder, dues)), "at": at}
    return {"first": list(firsts), "due": due, **files, "until": at + until}


class Adapter:
    """Its commands note themselves and their arguments, or do what `act` does."""

    kind = "blocking"

    def __init__(self, act: Callable[..., Any] = lambda *_words: b"a") -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.opened: list[int] = []
        self.closed = 0
        self.act = act
        self.commands: dict[str, Callable[..., Any]] = {name: self._command(name) for name in KINDS}

    def _command(self, name: str) -> Callable[..., Any]:
        def command(_client: int, *words: Any) -> Any:
            self.asked.append((name, *words))
            return self.act(name, *words)

        return command

    def connect(self, _connections: int = 1) -> Any:
        """Return a client: a number."""
        return len(self.opened) + 1

    def open(self, _client: int, connections: int) -> Any:
        """Note how many connections are to be open."""
        self.opened.append(connections)

    def close(self, _client: int) -> Any:
        """Count it."""
        self.closed += 1

    def batch(self, client: int, commands: Sequence[Any]) -> Any:
        """Perform the commands at once."""
        return [call(client, key) if value is None else call(client, key, value) for key, (call, value) in commands]


class TaskAdapter(Adapter):
    """The same, asynchronous."""

    kind = "async"

    def _command(self, name: str) -> Callable[..., Any]:
        act = super()._command(name)

        async def command(*words: Any) -> Any:
            return act(*words)

        return command

    async def connect(self, connections: int = 1) -> Any:
        """Return a client: a number."""
        return super().connect(connections)

    async def open(self, client: int, connections: int) -> Any:
        """Note how many connections are to be open."""
        super().open(client, connections)

    async def close(self, client: int) -> Any:
        """Count it."""
        super().close(client)


class WaitingAdapter(Adapter):
    """Its first command returns when so many others have."""

    def __init__(self, others: int) -> None:
        super().__init__()
        self.left, self.is_first = others, True
        self.others_are_done = Event()

    def _command(self, _name: str) -> Callable[..., Any]:
        def command(*_words: Any) -> None:
            if self.is_first:
                self.is_first = False
                self.others_are_done.wait()
            else:
                self.count()

        return command

    def count(self) -> None:
        """Note that one of the others is done."""
        self.left -= 1
        if not self.left:
            self.others_are_done.set()


class WaitingTaskAdapter(WaitingAdapter, TaskAdapter):
    """The same, asynchronous."""

    def _command(self, _name: str) -> Callable[..., Any]:
        async def command(*_words: Any) -> None:
            if self.is_first:
                self.is_first = False
                while self.left:  # noqa: ASYNC110 - the others are tasks of the same event loop
                    await asyncio.sleep(0)
            else:
                self.count()

        return command


def order(ns: int = 1, *firsts: int, lead_in_ns: int = 0, keep: bool = True) -> dict[str, Any]:
    """Return what a slice is asked for: a part of 1 ns has one unit. `firsts` are the walkers'; one begins at 0."""
    return {"first": firsts or [0], "lead_in_ns": lead_in_ns, "ns": ns, "keep": keep}
