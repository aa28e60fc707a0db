"""Background traffic: commands that the harness sends on a connection of its own, in a thread, during a slice."""

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.servers.control import Control


@dataclass(frozen=True)
class Beside:
    """What the run itself sent in a slice, beside the client."""

    calls: Mapping[str, int]
    """By command, in lower case as the server counts it."""
    input_bytes: int
    reads: int
    """How often the server read from the connection."""
    hits: int = 0
    """Keys that were there."""
    sent_ns: tuple[int, ...] = ()
    """When each element was sent that the client is to take, ascending; CLOCK_MONOTONIC."""


class Companion(ABC):
    """Works beside a client, slice after slice."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Connect; raises TargetError if the server refuses it."""
        self._control = Control(endpoint).open()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: TargetError | None = None
        self._sent: list[tuple[bytes, ...]] = []
        """Commands in this slice; they are counted when it is over."""

    def begin(self, at_ns: int) -> None:
        """Work from this moment on."""
        self._sent = []
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run, args=(at_ns,), daemon=True)
        self._thread.start()

    def end(self) -> Beside:
        """Stop, and return what was done; raises TargetError if the server refused something, or was lost."""
        self._stop()
        if self._failure is not None:
            raise self._failure
        return self._done()

    def close(self) -> None:
        """Stop, if it is at work, and close the connection."""
        self._stop()
        self._control.close()

    @abstractmethod
    def _work(self, at_ns: int) -> None:
        """Work from this moment on, until the slice is over."""

    def _done(self) -> Beside:
        calls = Counter(words[0].decode().lower() for words in self._sent)
        return Beside(calls, sum(map(_resp_bytes, self._sent)), len(self._sent))

    def _send(self, *words: bytes) -> Any:  # noqa: ANN401 - a server's reply
        """Send a command, and return its reply."""
        self._sent.append(words)
        return self._control.command(*words)

    @property
    def _goes_on(self) -> bool:
        return not self._is_over.is_set()

    def _waits_until(self, due_ns: float) -> bool:
        """Wait until this moment; return whether the slice still goes on."""
        return not self._is_over.wait(max(0.0, (due_ns - time.monotonic_ns()) / 1e9))

    def _stop(self) -> None:
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, at_ns: int) -> None:
        try:
            self._work(at_ns)
        except TargetError as error:
            self._failure = error


def _resp_bytes(words: tuple[bytes, ...]) -> int:
    """Return the size of a command as clients send it."""
    return len(b"*%d\r\n" % len(words)) + sum(len(b"$%d\r\n\r\n" % len(word)) + len(word) for word in words)
