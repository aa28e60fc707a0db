"""Checks commands on the wire against the workload file: the same commands in the same order, for every client.

Where a process has one stream of commands, their order is compared. Where several walkers, connections or places of a
sliding window are interleaved, or a local cache answers some, the claimed commands are compared as a multiset.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from respmark.conform.observation import Deviation
from respmark.wire.resp import digest_of
from respmark.wire.trace import CommandTrace
from respmark.workload.spec import CACHED, KeyArgument, ValueArgument
from respmark.workload.workload import Workload

Words = tuple[str, int]
"""A command as it is compared: its name, and the checksum of its arguments."""


class ExpectedOrder:
    """The workload as it must appear on the wire."""

    def __init__(self, workload: Workload) -> None:
        commands = (command_at(workload, index) for index in range(workload.header.commands))
        self._words = [(name, digest_of(arguments)) for name, arguments in commands]

    def __len__(self) -> int:
        return len(self._words)

    def claimed(self, walkers: Iterable[tuple[int, int]]) -> Iterator[Words]:
        """Yield what walkers claim to have sent, one walker after the other."""
        for first, operations in walkers:
            yield from (self._words[(first + offset) % len(self._words)] for offset in range(operations))


def out_of_order(due: Sequence[Words], sent: Sequence[CommandTrace]) -> Iterator[Deviation]:
    """Yield the first command of one stream that was not due."""
    for place, (words, command) in enumerate(zip(due, sent, strict=False), start=1):
        if words != _seen(command):
            yield _not_due(place, command)
            return


def not_claimed(due: Iterable[Words], sent: Sequence[CommandTrace], *, may_hit: bool) -> Iterator[Deviation]:
    """Yield the first command that nobody claims, or what was not sent; `may_hit`: a cache may have answered GETs."""
    left = Counter(due)
    for place, command in enumerate(sent, start=1):
        left[_seen(command)] -= 1
        if left[_seen(command)] < 0:
            yield _not_due(place, command)
            return
    missing = {name for (name, _), count in left.items() if count and not (may_hit and name == CACHED)}
    if missing:
        yield Deviation("every command that is claimed sent", f"{', '.join(sorted(missing))} not on the wire")


def _seen(command: CommandTrace) -> Words:
    return command.name, command.digest or 0


def _not_due(place: int, command: CommandTrace) -> Deviation:
    return Deviation(
        "the workload's commands in the workload's order",
        f"command {place:,} of the window, {command.name} {command.key}, is not due",
        command.order,
    )


def command_at(workload: Workload, index: int) -> tuple[str, list[bytes]]:
    """Return a command of the workload: its name, and its arguments as they are sent."""
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
    return kind.name, arguments
