"""Walks through the commands for ever, from any of them on, at the speed of C.

A command is (call, arguments): nothing is looked up, computed or wrapped around inside the measured loop.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import Any, TypeVar

Item = TypeVar("Item")
Call = Callable[..., Any]
Command = tuple[Call, tuple[Any, ...]]
"""What is called, and with which arguments."""


def walk(calls: Sequence[Call], rows: Sequence[tuple[Any, ...]], first: int) -> Iterator[Command]:
    """Return the endless walk that begins at command number `first`, one command at a time.

    Calls and arguments are two lists, so that clients which send the same commands share the arguments.
    """
    return zip(_cycle(calls, first), _cycle(rows, first), strict=False)


def walk_slices(commands: Sequence[Command], first: int, depth: int) -> Iterator[Sequence[Command]]:
    """Return the endless walk that begins at command number `first`, `depth` commands at a time."""
    # The head again behind the tail: no slice has to wrap around.
    wrapped = [*commands, *islice(_cycle(commands, 0), depth)]
    return _slices(wrapped, len(commands), first, depth)


def _slices(wrapped: Sequence[Command], count: int, at: int, depth: int) -> Iterator[Sequence[Command]]:
    while True:
        yield wrapped[at : at + depth]
        at = (at + depth) % count


def _cycle(items: Sequence[Item], first: int) -> Iterator[Item]:
    rest = iter(items)
    # Skips to the first command now, not when the first unit asks for it.
    next(islice(rest, first, first), None)
    return chain(rest, chain.from_iterable(repeat(items)))
