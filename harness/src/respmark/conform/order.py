"""Holds the commands on the wire against the workload file: the same commands in the same order, walker by walker.

What several walkers send comes mixed. So every way in which it can have been mixed is followed at once: a command must
be the next one of some walker. Two walkers at the same command at the same time make two ways, of which the next
commands leave one.
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
"""A command as it is compared: name, and checksum of its arguments."""
Way = tuple["Walk", ...]
"""For each walker, how far it has come."""


@dataclass(frozen=True)
class Walk:
    """One walker's way through the workload."""

    next: int
    """Commands from its first on that have all been seen."""
    ahead: frozenset[int] = frozenset()
    """Of those after, the ones that have been seen already."""

    @property
    def done(self) -> int:
        """Return how many were seen."""
        return self.next + len(self.ahead)

    def missing(self) -> Iterator[int]:
        """Yield the offsets that were not seen, in order, without end."""
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
    """Follow the commands of one process; return the first that was nobody's turn, or every way that it can have been.

    `places` is how many commands one walker may hold at once on their way to the socket: while one of them is late,
    later commands go through the other places, however many; 1 where the order is that of one connection.
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
    """Return the walker's earliest command that these words can be; equal words are as good as each other."""
    due = (offset for offset in islice(walk.missing(), places) if expected.at(first, offset) == words)
    return next(due, None)


def unsent(
    expected: ExpectedOrder, first: int, operations: int, seen: Iterable[CommandTrace]
) -> CommandTrace | frozenset[str]:
    """Follow one walker of whose commands a cache may have answered some; return the first that was not due.

    Else return the names of those commands that were claimed and not sent.
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
    """Tell whether the claimed segments are one of the ways."""
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
