"""The log of a process that keeps going: which of its commands began and ended, and how."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

SECOND_NS: Final = 1_000_000_000


@dataclass
class Unit:
    """One command: when it was due, and what became of it so far."""

    due_ns: int
    caller: int = -1
    """Number of the caller among all; -1: no caller has taken it."""
    number: int = 0
    """How many commands its caller sent before."""
    began_ns: int | None = None
    ended_ns: int | None = None
    reply: Any = None
    error: str | None = None
    text: str = ""

    @property
    def is_success(self) -> bool:
        """Return whether its caller had a reply."""
        return self.ended_ns is not None and self.error is None


@dataclass
class ProcessLog:
    """The log of one process, which may be read while it grows."""

    due_ns: Sequence[int]
    """When each of its units is due, CLOCK_MONOTONIC, ascending."""
    first_caller: int = 0
    """Number of its first caller among those of all processes."""
    closed_ns: int | None = None
    """When its client was closed."""
    close_error: str | None = None
    """The error with which closing ended; None: it went well, or is not over."""
    taken: int = 0
    """How many bytes of it are known."""
    _begun: dict[int, Unit] = field(default_factory=dict)
    """By number."""
    _sent: Counter[int] = field(default_factory=Counter)
    """By caller."""
    _last_success_ns: dict[int, int] = field(default_factory=dict)
    """By caller."""
    _rest: bytes = b""
    """The begin of a line whose end is not there yet."""

    def add(self, content: bytes) -> None:
        """Take in what the log has grown by; a last line that was cut off is left for later."""
        self.taken += len(content)
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in map(json.loads, lines):
            if "closed" in line:
                self.closed_ns, self.close_error = line["closed"], line.get("error")
            elif "began" in line:
                self._begin(line["unit"], self.first_caller + line["walker"], line["began"])
            else:
                unit = self._begun[line["unit"]]
                unit.ended_ns, unit.reply = line["ended"], line.get("reply")
                unit.error, unit.text = line.get("error"), line.get("text", "")
                if unit.error is None:
                    self._last_success_ns[unit.caller] = line["ended"]

    @property
    def is_waiting(self) -> bool:
        """Return whether a caller has begun a command that has not ended."""
        return any(unit.ended_ns is None for unit in self._begun.values())

    def units(self, until_ns: int) -> Iterator[Unit]:
        """Yield the units that were due until then, and any that has begun."""
        for number, due_ns in enumerate(self.due_ns):
            if number in self._begun:
                yield self._begun[number]
            elif due_ns < until_ns:
                yield Unit(due_ns)

    def unit(self, number: int) -> Unit:
        """Return what became of a unit so far."""
        return self._begun.get(number) or Unit(self.due_ns[number])

    def all_had_replies(self, since_ns: int) -> bool:
        """Return whether each of its callers has had a reply since then."""
        return all(self._last_success_ns.get(caller, 0) >= since_ns for caller in self._sent)

    def _begin(self, number: int, caller: int, at_ns: int) -> None:
        self._begun[number] = Unit(self.due_ns[number], caller, self._sent[caller], at_ns)
        self._sent[caller] += 1
