"""What a change would bring, as published runs have measured it for each client: `specs/triage/gains.json`.

`make readme` writes the file from the runs in results/published, for every rule that names two cells to compare. A run
of any suite that has both cells of a pair in one block feeds it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from respmark.contract.base import Message, PositiveCount
from respmark.results.store import read_model
from respmark.specs.triage import RuleSpec
from respmark.triage.snapshot import Format

FILE: Final = "gains.json"
Ratio = float


class Gain(Message):
    """One ratio that a published run has."""

    rule: str
    client: str
    """Whose: a client by its name."""
    client_version: str
    ratio: Ratio
    low: Ratio | None
    """Of the 95 % interval; null: the run had one round."""
    high: Ratio | None
    rounds: PositiveCount
    run: str
    server: str
    place: str
    """Where the client was: `on one machine`, `behind 0.2 ms`."""
    says: str
    """What is compared."""


class Gains(Message):
    """All of them; those with the most rounds first for each rule."""

    format: Format
    gains: tuple[Gain, ...]

    def of(self, rule: RuleSpec, libraries: Iterable[str]) -> Gain | None:
        """Return what was measured for the first of these libraries that was, else the least; None: nothing was."""
        found = {gain.client: gain for gain in self.gains if gain.rule == rule.id}
        least = min(found.values(), key=lambda one: one.ratio, default=None)
        return next((found[name] for name in libraries if name in found), least)


NO_GAINS: Final = Gains(format=1, gains=())


def read_gains(folder: Path) -> Gains:
    """Return the file of a folder of rules; nothing if it has none."""
    path = folder / FILE
    return read_model(path, Gains) if path.is_file() else NO_GAINS
