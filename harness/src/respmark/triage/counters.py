"""What INFO counted during the watch: numbers, their changes, and the calls of every command without respmark's own."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from respmark.servers.info import NO_CALLS, Calls, Info
from respmark.specs.triage import INFO
from respmark.triage.snapshot import NodeSnapshot


@dataclass(frozen=True, eq=False)
class Counters:
    """The counters of one server."""

    node: NodeSnapshot

    @property
    def seconds(self) -> float:
        """Return how long it was watched."""
        return max(self.node.seconds, 1e-9)

    @cached_property
    def info(self) -> dict[str, float]:
        """Return the numbers of INFO, and their changes, by the names that rules use."""
        first, last = (numbers_in(info) for info in (self.node.first, self.node.last))
        now = {f"{INFO}{name}": value for name, value in last.items()}
        changes = {f"{INFO}{name}_per_s": (last[name] - first[name]) / self.seconds for name in last if name in first}
        return now | changes

    @cached_property
    def calls(self) -> dict[str, Calls]:
        """Return how often every command was called, without respmark's own calls."""
        first, last = (Info(info).calls for info in (self.node.first, self.node.last))
        found = {name: count.since(first.get(name, NO_CALLS)) for name, count in last.items()}
        own = {
            name: found[name]._replace(calls=max(0, found[name].calls - n))
            for name, n in self.node.own.items()
            if name in found
        }
        return {name: count for name, count in (found | own).items() if count.sent > 0}

    @cached_property
    def commands(self) -> int:
        """Return how many commands were called."""
        return sum(one.calls for one in self.calls.values())

    def called(self, *names: str) -> int:
        """Return how often these commands were called."""
        return sum(self.calls.get(name, NO_CALLS).calls for name in names)

    def now(self, name: str, default: float = 0.0) -> float:
        """Return a number of INFO at the end."""
        return self.info.get(f"{INFO}{name}", default)

    def changed(self, name: str) -> float:
        """Return by how much a number of INFO has changed; 0 if it is not there."""
        return self.info.get(f"{INFO}{name}_per_s", 0.0) * self.seconds


def numbers_in(fields: Mapping[str, str]) -> dict[str, float]:
    """Return the fields whose values are numbers."""
    found: dict[str, float] = {}
    for name, value in fields.items():
        try:
            number = float(value.removesuffix("%"))
        except ValueError:
            continue
        if math.isfinite(number):
            found[name] = number
    return found
