"""Verdicts on published claims, over loopback and behind a round trip side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from respmark.figures.cells import CountedRun, read_counted
from respmark.guidance.verdict import judge
from respmark.report.table import Cell, Column, Table, kind, row
from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import Named

LOOPBACK: Final = "over loopback"


def place_of(run: CountedRun) -> str:
    """Return where a run's clients were: over loopback, or behind the round trip that all its cells have."""
    trips = {cell.shape.rtt_ms for cell in run.manifest.cells}
    return _named(trips.pop() if len(trips) == 1 else None)


def published(folders: Iterable[Path]) -> dict[str, list[CountedRun]]:
    """Return the runs of those folders that are there, by the place of their clients.

    A run with several round trips counts as one over loopback, and its cells behind each in the place of that, too, if
    other runs are there.
    """
    runs = [read_counted(folder) for folder in folders if (folder / "manifest.json").is_file()]
    places: dict[str, list[CountedRun]] = {}
    for run in runs:
        places.setdefault(place_of(run), []).append(run)
    for run in runs:
        for trip in dict.fromkeys(cell.shape.rtt_ms for cell in run.manifest.cells):
            if (place := _named(trip)) in places and place != place_of(run):
                cells = [cell for cell in run.manifest.cells if cell.shape.rtt_ms == trip]
                places[place].append(replace(run, manifest=run.manifest.model_copy(update={"cells": cells})))
    return places


def _named(rtt_ms: float | None) -> str:
    return LOOPBACK if rtt_ms is None else f"behind {rtt_ms:g} ms"


def side_by_side(claims: Sequence[Named], places: Mapping[str, Sequence[CountedRun]], catalogue: Catalogue) -> Table:
    """Return a row a claim and a column a place: its verdict there, and the ratios of its comparisons."""
    judged = [judge(claims, runs, catalogue.clients) for runs in places.values()]
    columns = (Column("claim", is_text=True), *(Column(place, is_text=True) for place in places))
    rows = []
    for of_claim in zip(*judged, strict=True):
        claim = of_claim[0].claim
        cells = []
        for one in of_claim:
            ratios = ", ".join(f"{point.ratio:.2f}" for point in one.points if point.ratio is not None)
            cells.append(Cell(f"{one.verdict}" + (f" ({ratios})" if ratios else ""), kind(one.verdict)))
        rows.append(row(f"{claim.gist} ({claim.id})", *cells))
    return Table("", columns, tuple(rows))
