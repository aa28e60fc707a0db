"""What the user sees of the set-up: one line a step."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Screen:
    """Lines on a stream, with seconds from a clock."""

    stream: TextIO
    clock: Callable[[], float] = time.monotonic

    def say(self, text: str = "") -> None:
        """Print a line."""
        self._write(f"{text}\n")

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Print what begins, and behind it how long it took or that it failed."""
        start = self.clock()
        self._write(f"{what} … ")
        try:
            yield
        except BaseException:
            self._write("failed\n")
            raise
        self._write(f"{self.clock() - start:.1f} s\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
