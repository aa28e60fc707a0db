"""The kinds of trial as they are read: a run has its figures by kind."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.figures.cells import RunFigures, read_figures
from respmark.kinds.cold_start.kind import STARTS
from respmark.kinds.faults.kind import FAULTS
from respmark.kinds.faults.picture import timeline as timeline_of
from respmark.kinds.loops.kind import LOOPS
from respmark.report.kind import Kind
from respmark.results.store import read_manifest

KINDS: Final = (LOOPS, STARTS, FAULTS)
"""In the order in which reports show them."""


def read(folder: Path, rounds: int | None = None) -> list[RunFigures]:
    """Return the figures of a run, by kind of trial; of one that measured nothing, those of loops.

    `rounds` is how many there can be so far if it is under way. Raises what `read_figures` does.
    """
    scenarios = {cell.scenario for cell in read_manifest(folder).cells}
    found = [kind for kind in KINDS if not scenarios.isdisjoint(kind.scenarios)] or [LOOPS]
    return [read_figures(folder, kind, rounds) for kind in found]


def timeline(folder: Path, use: str | None) -> dict[str, Any]:
    """Return the timelines of a run's clients under one fault as a Vega-Lite spec; raises InvalidRequestError."""
    return timeline_of(read_figures(folder, FAULTS), use)


def metric_named(metric: str | None, scenarios: Iterable[Scenario]) -> tuple[Kind, str]:
    """Return the kind of these scenarios and the key of a metric that it compares, by default its main one.

    Raises InvalidRequestError if scenarios are of several kinds, or theirs does not compare it.
    """
    found = [kind for kind in KINDS if not set(kind.scenarios).isdisjoint(scenarios)]
    if len(found) > 1:
        raise InvalidRequestError("these scenarios are of several kinds, which have no figure in common: name one")
    kind = found[0]
    if metric is not None and kind_that_compares(metric) is not kind:
        known = ", ".join(one.replace("_", "-") for one in kind.compared)
        raise InvalidRequestError(f"--metric {metric}: these scenarios have no such figure; they have: {known}")
    return kind, kind.main if metric is None else metric.replace("-", "_")


def kind_that_compares(metric: str) -> Kind:
    """Return the kind that compares a metric, by its key or as options write it; raises InvalidRequestError if none."""
    key = metric.replace("-", "_")
    if (found := next((kind for kind in KINDS if key in kind.compared), None)) is None:
        known = ", ".join(one.replace("_", "-") for kind in KINDS for one in kind.compared)
        raise InvalidRequestError(f"--metric {metric}: there is no such figure to compare; there are: {known}")
    return found
