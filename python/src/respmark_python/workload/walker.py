"""A walker: one thread's (or task's) path through the workload, cut into units."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any

from respmark_python.workload.commands import Command, Commands, Step, walk

Perform = Callable[[Iterable[Command]], Any]
"""Performs a unit of several steps: takes its commands, returns their replies in order (async: a coroutine)."""


@dataclass(frozen=True)
class Walker:
    """Which commands are walked, from where, and what a unit of them is."""

    perform: Perform | None
    """How a unit is performed; None: a unit is one command, whose step is called."""
    commands: Commands
    steps: Sequence[Step]
    offset: int
    """How far from a slice's first command this walker starts."""
    per_unit: int
    """Commands in a unit."""

    def first(self, first_command: int) -> int:
        """Return where the walker starts in a slice whose first command is this one."""
        return (first_command + self.offset) % len(self.commands.keys)

    def units(self, first_command: int) -> Iterator[Command]:
        """Return the endless walk as units, in the form of commands; with `perform`, the key is a unit's commands."""
        commands = walk(self.commands, self.steps, self.first(first_command))
        if self.perform is None:
            return commands
        batches = map(islice, repeat(commands), repeat(self.per_unit))
        return zip(batches, repeat((self.perform, None)), strict=False)

    def replies(self, reply: Any) -> Sequence[Any]:
        """Return the replies that a unit returned."""
        return [reply] if self.perform is None else reply
