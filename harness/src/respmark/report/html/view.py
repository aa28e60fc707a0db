"""A run as the page shows it: clients are columns, scenarios and shapes are rows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from polars import col

from respmark import numbers
from respmark.contract.trial import Scenario, Shape
from respmark.report.html.theme import Look, looks
from respmark.report.notes import cell_label, joined, shape_label, workload_label
from respmark.report.report import Report
from respmark.results.records import Status, TrialRecord
from respmark.statistics.cells import CountedRun, ReportCell
from respmark.statistics.compare import Ratio
from respmark.statistics.measured import Measured
from respmark.statistics.ranking import Pairs, pairs_of
from respmark.statistics.rounds import counted


class Lap(NamedTuple):
    """One slice that counts."""

    round: int
    lap: int
    begun_ns: int
    rps: float


@dataclass(frozen=True)
class Series:
    """Rounds and slices of a run, by cell."""

    run: CountedRun

    @cached_property
    def _laps(self) -> dict[str, list[Lap]]:
        found: defaultdict[str, list[Lap]] = defaultdict(list)
        rps = col("operations") / col("elapsed_ns") * 1e9
        laps = counted(self.run).select("cell_id", "round", "lap", "begun_ns", rps=rps).collect()
        for cell_id, *lap in laps.iter_rows():
            found[cell_id].append(Lap(*lap))
        return found

    @cached_property
    def _rounds(self) -> dict[str, list[tuple[TrialRecord, dict[str, Any] | None]]]:
        """Return the rounds of each cell with their figures, if slices of them count."""
        figures = {one["trial_id"]: one for one in self.run.rounds.iter_rows(named=True)}
        found: defaultdict[str, list[tuple[TrialRecord, dict[str, Any] | None]]] = defaultdict(list)
        for trial in self.run.trials:
            found[trial.cell_id].append((trial, figures.get(trial.trial_id)))
        return found

    def laps(self, cell_id: str) -> list[Lap]:
        """Return the slices of a cell that count."""
        return self._laps.get(cell_id, [])

    def client_cpu(self, cell_id: str) -> list[float]:
        """Return the client's CPU in microseconds per command, by round."""
        rounds = self._rounds.get(cell_id, ())
        return [figures["client_cpu_us_per_command"] for _, figures in rounds if figures]

    def rounds(self, cell_id: str) -> Iterator[tuple[str, str]]:
        """Yield each round's name, and what became of it."""
        for trial, figures in self._rounds.get(cell_id, ()):
            yield f"round {trial.round}: {trial.trial_id}", _outcome(trial, figures)

    def settings(self, cell_id: str) -> dict[str, str]:
        """Return a client's options, and settings of its runtime that bear on the figures."""
        trials = [trial for trial, _ in self._rounds.get(cell_id, ())]
        options = {f"option {name}": str(value) for name, value in trials[0].client.options.items()} if trials else {}
        settings = next((trial.settings for trial in trials if trial.settings), {})
        return options | {name: str(value) for name, value in settings.items()}


def _outcome(trial: TrialRecord, figures: dict[str, Any] | None) -> str:
    if trial.status is not Status.OK:
        return f"{trial.status}: {trial.reason}"
    if figures is None:
        return "no slice counts"
    client, server = (numbers.microseconds(figures[f"{side}_cpu_us_per_command"]) for side in ("client", "server"))
    return (
        f"{numbers.rps(figures['rps_median'])} commands per second, {client} client and {server} server CPU per command"
    )


@dataclass(frozen=True)
class Column:
    """A client."""

    number: int
    name: str
    language: str
    look: Look
    versions: tuple[str, ...]
    """What was loaded, such as `jedis 8.0.2`."""


@dataclass(frozen=True)
class Place:
    """A cell in the matrix."""

    number: int
    column: Column
    cell: ReportCell

    @property
    def measured(self) -> Measured:
        """Return the figures; only for cells that were measured, such as those of `Row.measured`."""
        assert self.cell.measured is not None  # noqa: S101 - only asked of measured cells
        return self.cell.measured


@dataclass(frozen=True)
class Row:
    """A scenario in one shape, of one workload."""

    number: int
    scenario: Scenario
    shape: Shape
    workload: str
    shape_label: str
    """The shape in words, and the workload if the run has several."""
    groups: tuple[str, str]
    """What it has in common with rows of the same scenario, and with those that differ only in depth; both in words."""
    places: tuple[Place, ...]
    """In the order of the columns; a client that the run does not have in this row has none."""
    pairs: tuple[Pairs, ...]
    """More than one if the clients did not all take turns with each other."""

    @property
    def label(self) -> str:
        """Return scenario, shape and workload in words."""
        return joined(self.scenario, self.shape_label)

    @cached_property
    def by_column(self) -> dict[int, Place]:
        """Return the places by the number of their column."""
        return {place.column.number: place for place in self.places}

    @cached_property
    def measured(self) -> tuple[Place, ...]:
        """Return the places that have figures."""
        return tuple(place for place in self.places if place.cell.measured is not None)

    def ratio(self, metric: str, place: Place, baseline: Place) -> Ratio | None:
        """Return the ratio of two clients; None if they did not take turns."""
        both = (place.cell.cell_id, baseline.cell.cell_id)
        of_both = (pairs for pairs in self.pairs if set(both) <= set(pairs.cells))
        return next((found for pairs in of_both if (found := pairs.ratio(metric, *both))), None)


@dataclass(frozen=True)
class View:
    """A run as the page shows it."""

    report: Report
    series: Series
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    baseline: Column
    """The baseline that the page starts with."""


def make_view(report: Report) -> View:
    """Return the view of a run."""
    columns = _columns(report.cells)
    baseline = next(column for name, column in columns.items() if report.baseline in {None, name})
    rows = _rows(report.cells, columns, pairs_of(report.run.blocks, report.baseline, report.manifest.looks))
    return View(report, Series(report.run), tuple(columns.values()), tuple(rows), baseline)


def _columns(cells: Sequence[ReportCell]) -> dict[str, Column]:
    languages = {cell.client: cell.language for cell in cells}
    versions = {cell.client: cell.versions for cell in cells if cell.versions}
    return {
        name: Column(number, name, languages[name], look, tuple(map(" ".join, versions.get(name, {}).items())))
        for number, (name, look) in enumerate(zip(languages, looks(languages.values()), strict=True))
    }


def _rows(cells: Sequence[ReportCell], columns: dict[str, Column], pairs: Sequence[Pairs]) -> list[Row]:
    by_row: defaultdict[tuple[str, ...], dict[str, ReportCell]] = defaultdict(dict)
    for cell in cells:
        # If a block was split, its first client is in every part: only the first part's cell is shown.
        by_row[cell.scenario, cell.shape.model_dump_json(), cell.workload].setdefault(cell.client, cell)
    by_cell = {cell_id: one for one in pairs for cell_id in one.cells}
    rows: list[Row] = []
    count = 0
    for found in by_row.values():
        shown = [(column, found[name]) for name, column in columns.items() if name in found]
        places = tuple(Place(count + number, *one) for number, one in enumerate(shown))
        count += len(places)
        of_row = {id(one): one for _, cell in shown if (one := by_cell.get(cell.cell_id)) is not None}
        rows.append(_row(len(rows), places, tuple(of_row.values())))
    return rows


def _row(number: int, places: tuple[Place, ...], pairs: tuple[Pairs, ...]) -> Row:
    cell = places[0].cell
    workload = workload_label(cell)
    form = shape_label(cell.shape.model_copy(update={"depth": None}))
    groups = (joined(cell.scenario, workload), joined(cell.scenario, form, workload))
    return Row(number, cell.scenario, cell.shape, cell.workload, cell_label(cell), groups, places, pairs)
