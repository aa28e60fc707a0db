"""Whether the rounds of a cell keep a bound that a claim sets.

Rounds of a fault are few, and what they show is seldom a matter of degree: so a bound holds if every one of at least
three rounds keeps it, and does not hold if two break it. Nothing is averaged. What was not over when a round ended
counts as what it had come to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from respmark.guidance.block import Absent, JudgedRun, is_of_others
from respmark.results.manifest import CellDescription
from respmark.results.records import Status
from respmark.specs.guidance import ClaimSpec
from respmark.specs.statements import ClaimedBound

TO_HOLD: Final = 3
"""A bound that fewer rounds keep is not shown to hold."""
TO_BREAK: Final = 2
"""It does not hold if so many rounds break it: one may have been bad luck."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of a cell that is held against a bound."""

    run_id: str
    version: str
    """That of the library that was loaded; empty if the results name none."""
    values: tuple[float, ...]
    """The figure in each round, in their order."""


@dataclass(frozen=True)
class JudgedBound:
    """One bound of a claim."""

    claimed: ClaimedBound
    found: Rounds | Absent

    @property
    def shown(self) -> bool | None:
        """Return whether it is shown to hold, or not to; None: neither is."""
        if isinstance(self.found, Absent):
            return None
        kept = [self.claimed.is_kept(value) for value in self.found.values]
        if kept.count(False) >= TO_BREAK:
            return False
        return True if len(kept) >= TO_HOLD and all(kept) else None


def judged_bounds(claim: ClaimSpec, runs: Sequence[JudgedRun], lacking: str | None) -> list[JudgedBound]:
    """Return every bound of a claim, with the rounds of the run that has most of them, the first of equals.

    Of a bound that is set for each of several clients, those that no run was to measure are left out, if any was.
    """
    found = [JudgedBound(one, _rounds(claim, one, runs, lacking)) for one in claim.bounds]
    return [one for one in found if not is_of_others(one.claimed, one.found)] or found


def _rounds(claim: ClaimSpec, bound: ClaimedBound, runs: Iterable[JudgedRun], lacking: str | None) -> Rounds | Absent:
    side = bound.cell.under(claim.conditions)
    cells = [(run, cell) for run in runs for cell in run.planned(side).values()]
    if not cells:
        return Absent(lacking or f"no run has {side.label}", is_planned=False)
    found = [(run, cell, values) for run, cell in cells if (values := _values(run, cell, bound))]
    if not found:
        return Absent(lacking or f"{side.label}: {_why_none(*cells[0])}")
    run, cell, values = max(found, key=lambda one: len(one[2]))
    version = run.run.by_id[cell.cell_id].library_version or ""
    return Rounds(run.run.manifest.run_id, version, tuple(values))


def _values(run: JudgedRun, cell: CellDescription, bound: ClaimedBound) -> list[float]:
    kind = run.run.kind
    if (key := kind.bounded_metrics.get(bound.metric)) is not None:
        rounds = run.run.rounds.filter(pl.col("cell_id") == cell.cell_id).sort("round")
        return rounds[key].drop_nulls().to_list()
    of = kind.bounded.get(bound.metric)
    good = (one for one in run.run.trials if one.cell_id == cell.cell_id and one.status is Status.OK)
    return [value for one in good if of is not None and (value := of(one)) is not None]


def _why_none(run: JudgedRun, cell: CellDescription) -> str:
    trials = [one for one in run.run.trials if one.cell_id == cell.cell_id]
    if not trials:
        return "the run ended before it was measured"
    return next((f"{one.status}: {one.reason}" for one in trials if one.reason), "no round has this figure")
