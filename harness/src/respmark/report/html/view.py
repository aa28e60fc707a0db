"""A run as the page shows it: clients are columns, scenarios and shapes are rows."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

from respmark.figures.cells import Cell
from respmark.figures.estimate import Ratio
from respmark.figures.ranking import EachOther, each_other, ratio_between
from respmark.report.html.palette import ClientLook, look, numbers_of
from respmark.report.html.vega import FONT, Marks, Spec, config
from respmark.report.labels import joined, use_label, workload_label
from respmark.report.report import Report
from respmark.results.records import TrialRecord

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class ClientColumn:
    """A client."""

    number: int
    name: str
    language: str
    versions: tuple[str, ...]
    """What was loaded, such as `jedis 8.0.2`."""
    look: ClientLook


@dataclass(frozen=True)
class MatrixCell:
    """A cell in the matrix."""

    number: int
    column: ClientColumn
    cells: tuple[Cell, ...]
    """One; of a client that is in every part of a split block, one for each part. Figures are those of the first."""

    @property
    def cell(self) -> Cell:
        """Return the cell whose figures are shown."""
        return self.cells[0]

    @property
    def measured(self) -> Any:  # noqa: ANN401 - as `Cell.measured`
        """Return the figures; only for cells that were measured, such as those of `Row.measured`."""
        return self.cell.measured


@dataclass(frozen=True)
class ChartRow:
    """A scenario in one shape, of one workload."""

    number: int
    places: tuple[MatrixCell, ...]
    """In the order of the columns; a client that the run does not have in this row has none."""
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By which fields of the shape rows differ that a chart shows together, by the chart's `pick`."""

    @property
    def cell(self) -> Cell:
        """Return its first cell: scenario, shape and workload are the same for all of them."""
        return self.places[0].cell

    @property
    def label(self) -> str:
        """Return scenario, shape and workload in words."""
        return use_label(self.cell)

    @cached_property
    def groups(self) -> dict[str, str]:
        """Return the row's group in each chart that shows several rows, in words, by the chart's `pick`."""
        without = {pick: use_label(self.cell, *fields) for pick, fields in self.apart.items()}
        return {"scenario": joined(self.cell.scenario, workload_label(self.cell)), **without}

    @cached_property
    def by_column(self) -> dict[int, MatrixCell]:
        """Return the places by the number of their column."""
        return {place.column.number: place for place in self.places}

    @cached_property
    def measured(self) -> tuple[MatrixCell, ...]:
        """Return the places that have figures."""
        return tuple(place for place in self.places if place.cell.measured is not None)


@dataclass(frozen=True)
class View:
    """A run as the page shows it."""

    report: Report

    @cached_property
    def columns(self) -> list[ClientColumn]:
        """Return the clients."""
        cells = self.report.cells
        languages = {cell.subject: cell.language for cell in cells}
        versions = {cell.subject: tuple(map(" ".join, cell.versions.items())) for cell in cells if cell.versions}
        installed = {cell.subject: cell.library if cell.client == cell.library else None for cell in cells}
        looks = map(look, numbers_of(list(installed.values()), self.report.colors))
        return [
            ClientColumn(number, name, language, versions.get(name, ()), own)
            for number, ((name, language), own) in enumerate(zip(languages.items(), looks, strict=True))
        ]

    @property
    def marks(self) -> Marks:
        """Return what shows the clients in charts."""
        return Marks([one.name for one in self.columns], [one.look.dash for one in self.columns])

    def config(self, *, dark: bool = False, font: str = FONT) -> Spec:
        """Return Vega-Lite's configuration, with the clients' colours and symbols."""
        return config([one.look for one in self.columns], dark=dark, font=font)

    @cached_property
    def baseline(self) -> ClientColumn:
        """Return the baseline that the page starts with."""
        return next(column for column in self.columns if self.report.baseline in {None, column.name})

    @cached_property
    def rows(self) -> list[ChartRow]:
        """Return the scenarios and shapes, in the order of the cells."""
        by_row: defaultdict[tuple[object, ...], defaultdict[str, list[Cell]]] = defaultdict(lambda: defaultdict(list))
        for cell in self.report.cells:
            by_row[cell.scenario, cell.shape, cell.workload][cell.subject].append(cell)
        numbers, apart = count(), self.report.kind.groups(self.report)
        rows = []
        for number, found in enumerate(by_row.values()):
            shown = [(column, tuple(found[column.name])) for column in self.columns if column.name in found]
            places = tuple(MatrixCell(next(numbers), *one) for one in shown)
            rows.append(ChartRow(number, places, apart))
        return rows

    @cached_property
    def rounds(self) -> Mapping[str, list[tuple[TrialRecord, Figures | None]]]:
        """Return the rounds of each cell, with their figures if slices of them count."""
        figures = {one["trial_id"]: one for one in self.report.run.rounds.iter_rows(named=True)}
        found: defaultdict[str, list[tuple[TrialRecord, Figures | None]]] = defaultdict(list)
        for trial in self.report.run.trials:
            found[trial.cell_id].append((trial, figures.get(trial.trial_id)))
        return found

    def ratio(self, metric: str, place: MatrixCell, baseline: MatrixCell) -> Ratio | None:
        """Return the ratio of two clients of a row in the first block where they took turns; None if there is none."""
        pairs = ((one.cell_id, other.cell_id) for one in place.cells for other in baseline.cells)
        found = (ratio_between(self._each_other, metric, *pair) for pair in pairs)
        return next((one for one in found if one is not None), None)

    @cached_property
    def _each_other(self) -> EachOther:
        return each_other(self.report.run)
