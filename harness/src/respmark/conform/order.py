"""Checks commands on the wire against the workload file: the same commands in the same order, walker by walker.

The commands of several walkers arrive interleaved. Every possible interleaving is therefore followed at once: each
command must be the next one of some walker. If two walkers are due to send the same command at the same time, there are
two possibilities, and later commands rule one of them out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Final

from respmark.contract.events import Slice
from respmark.wire.requests import digest_of
from respmark.wire.trace import CommandTrace
from respmark.workload.file import Workload
from respmark.workload.spec import KeyArgument, ValueArgument

WAYS_LIMIT: Final = 4096
Words = tuple[str, int]
"""A command as it is compared: its name, and the checksum of its arguments."""
Way = tuple["Walk", ...]
"""How far each walker has come, in one possible interleaving."""


@dataclass(frozen=True)
class Walk:
    """One walker's way through the workload."""

    next: int
    """How many commands, from its first one on, have been seen without a gap."""
    ahead: frozenset[int] = frozenset()
    """Offsets beyond `next` that have already been seen."""

    @property
    def done(self) -> int:
        """Return how many commands have been seen."""
        return self.next + len(self.ahead)

    def missing(self) -> Iterator[int]:
        """Yield the offsets that have not been seen, in order, without end."""
        return (offset for offset in count(self.next) if offset not in self.ahead)

    def stepped(self, offset: int) -> "Walk":
        """Return the walk after the command at `offset`."""
        ahead = self.ahead | {offset}
        begin = self.next
        while begin in ahead:
            ahead -= {begin}
            begin += 1
        return Walk(begin, ahead)


class ExpectedOrder:
    """The workload as it must appear on the wire."""

    def __init__(self, workload: Workload) -> None:
        self._words = [_words(workload, index) for index in range(workload.header.commands)]

    def __len__(self) -> int:
        return len(self._words)

    def at(self, first: int, offset: int) -> Words:
        """Return what a walker that began at `first` sends as its command number `offset`."""
        return self._words[(first + offset) % len(self._words)]


def disorder(
    expected: ExpectedOrder, firsts: list[int], seen: Iterable[CommandTrace], places: int
) -> CommandTrace | list[Way]:
    """Follow one process's commands; return the first that no walker was due to send, else every possible interleaving.

    `places` is how many commands of one walker may be on their way to the socket at once: while one of them is late,
    later commands, however many, go through the other places. It is 1 if the order is that of a single connection.
    """
    ways: set[Way] = {tuple(Walk(0) for _ in firsts)}
    for command in seen:
        words = (command.name, command.digest or 0)
        ways = {after for way in ways for after in _steps(expected, firsts, way, words, places)}
        if not ways:
            return command
        if len(ways) > WAYS_LIMIT:
            ways = set(sorted(ways, key=repr)[:WAYS_LIMIT])
    return list(ways)


def _steps(expected: ExpectedOrder, firsts: list[int], way: Way, words: Words, places: int) -> Iterable[Way]:
    for number, (first, walk) in enumerate(zip(firsts, way, strict=True)):
        offset = _offset(expected, first, walk, words, places)
        if offset is not None:
            yield (*way[:number], walk.stepped(offset), *way[number + 1 :])


def _offset(expected: ExpectedOrder, first: int, walk: Walk, words: Words, places: int) -> int | None:
    """Return the offset of the walker's earliest due command that matches; equal commands are interchangeable."""
    due = (offset for offset in islice(walk.missing(), places) if expected.at(first, offset) == words)
    return next(due, None)


def unsent(
    expected: ExpectedOrder, first: int, operations: int, seen: Iterable[CommandTrace]
) -> CommandTrace | frozenset[str]:
    """Follow one walker, some of whose commands a cache may have answered; return the first command that was not due.

    If there is none, return the names of the commands that were claimed but not sent.
    """
    names: set[str] = set()
    due = iter(range(operations))
    for command in seen:
        for offset in due:
            name, digest = expected.at(first, offset)
            if (name, digest) == (command.name, command.digest or 0):
                break
            names.add(name)
        else:
            return command
    return frozenset(names | {expected.at(first, offset)[0] for offset in due})


def agrees(ways: list[Way], answer: Slice) -> bool:
    """Return whether the claimed segments match one of the interleavings."""
    claimed = tuple(segment.operations for segment in answer.segments)
    return any(tuple(walk.done for walk in way) == claimed and not any(walk.ahead for walk in way) for way in ways)


def _words(workload: Workload, index: int) -> Words:
    kind = workload.header.mix[workload.kinds[index]]
    key, size = int(workload.keys[index]), int(workload.sizes[index])
    arguments = []
    for argument in kind.arguments:
        if isinstance(argument, KeyArgument):
            arguments.append(workload.key(key + argument.offset))
        elif isinstance(argument, ValueArgument):
            arguments.append(workload.value(key + argument.offset, size))
        else:
            arguments.append(argument.text.encode())
    return kind.name, digest_of(*arguments)
