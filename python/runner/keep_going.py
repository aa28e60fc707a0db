"""An application that keeps going whatever becomes of its server: units when they are due, in a log as they happen.

A line of the log is there when its `write` has returned, whatever becomes of this process.
"""

import asyncio
import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import monotonic_ns, sleep
from typing import Any, Final

from answers import as_json, encoded
from loops import issued
from workload import Command

GRACE_NS: Final = 100_000_000
"""How long after `until` walkers have to end."""
MOST_ASLEEP_NS: Final = 50_000_000
"""Who waits looks so often whether it is over."""
TEXT: Final = 500
S: Final = 10**9


class Log:
    """A file of JSON lines that are appended at once."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).open("ab", buffering=0)  # noqa: SIM115 - closed with the client
        self._lock = Lock()

    def write(self, **fields: Any) -> None:
        """Append a line, unless the client is closed."""
        line = json.dumps(fields, default=as_json).encode() + b"\n"
        with self._lock:
            if not self._file.closed:
                self._file.write(line)

    def close(self, failure: Exception | None) -> None:
        """Say that the client is closed, and how that failed if it did; whoever hung in it until now adds nothing."""
        self.write(closed=monotonic_ns(), **({} if failure is None else told(failure)))
        with self._lock:
            self._file.close()


class Going:
    """The units of a process, and until when they are performed."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.log = Log(order["log"])
        self._at: int = order["due"]["at"]
        self._until: int = order["until"]
        self._enough = Path(order["enough"])
        self._queue = enumerate(array("q", Path(order["due"]["file"]).read_bytes()))
        """Taking the next unit is atomic, as the interpreter does it in one step of C."""

    def left_s(self) -> float:
        """Return how long whoever waits for the walkers waits at most."""
        return max(0.0, (self._until + GRACE_NS - monotonic_ns()) / S)

    def perform(self, client: Any, commands: Iterator[Command], walker: int) -> None:
        """Perform units with the walker's next commands, each when it is due."""
        for unit, due in self._queue:
            while not self._is_over() and (left_s := self._asleep_s(due)):
                sleep(left_s)
            if self._is_over():
                return
            self._begin(unit, walker)
            try:
                reply = issued(client, next(commands))
            except Exception as error:  # noqa: BLE001 - whatever a library raises is logged
                self._failed(unit, walker, error)
            else:
                self._ended(unit, walker, reply)

    async def perform_as_task(self, client: Any, commands: Iterator[Command], walker: int) -> None:
        """Do the same in a task."""
        for unit, due in self._queue:
            while not self._is_over() and (left_s := self._asleep_s(due)):  # noqa: ASYNC110 - a file says when it is over
                await asyncio.sleep(left_s)
            if self._is_over():
                return
            self._begin(unit, walker)
            try:
                reply = await issued(client, next(commands))
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as above; libraries cancel, too
                self._failed(unit, walker, error)
            else:
                self._ended(unit, walker, reply)

    def _asleep_s(self, due: int) -> float:
        return max(0, min(self._at + due - monotonic_ns(), MOST_ASLEEP_NS)) / S

    def _is_over(self) -> bool:
        return monotonic_ns() >= self._until or self._enough.exists()

    def _begin(self, unit: int, walker: int) -> None:
        self.log.write(unit=unit, walker=walker, began=monotonic_ns())

    def _ended(self, unit: int, walker: int, reply: Any) -> None:
        self.log.write(unit=unit, walker=walker, ended=monotonic_ns(), reply=encoded(reply))

    def _failed(self, unit: int, walker: int, error: BaseException) -> None:
        self.log.write(unit=unit, walker=walker, ended=monotonic_ns(), **told(error))


def told(error: BaseException) -> dict[str, str]:
    """Return what an error is called, and what it says."""
    return {"error": type(error).__name__, "text": str(error)[:TEXT]}
