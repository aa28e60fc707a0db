"""A run as the page shows it: clients are columns, scenarios and shapes are rows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from respmark.contract.trial import Scenario, Shape
from respmark.report.html.theme import Look, looks
from respmark.report.notes import cell_label, shape_label, workload_label
from respmark.results.manifest import Manifest
from respmark.results.records import Status
from respmark.results.store import Run
from respmark.results.version1 import Record
from respmark.specs.scenario import ScenarioSpec, sample_covers
from respmark.statistics.blocks import ShownRatio
from respmark.statistics.cells import ReportCell, cells_of, counted
from respmark.statistics.measured import Measured
from respmark.statistics.pairs import Pairs, pairs_of
from respmark.statistics.rounds import Round, client_cpu_us, round_of
from respmark.statistics.versions import VersionChange, version_changes

Records = Sequence[Record]


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
class MatrixCell:
    """A cell in the matrix, with the records that it was made from."""

    number: int
    column: Column
    cell: ReportCell
    records: Records

    @cached_property
    def rounds(self) -> dict[int, Round]:
        """Return the rounds that are `ok`, by number."""
        good = (record for record in self.records if record.status is Status.OK)
        return {record.round: found for record in good if (found := round_of(record)) is not None}

    @property
    def costs(self) -> list[float]:
        """Return the client's CPU in microseconds per command, by round."""
        return list(map(client_cpu_us, self.rounds.values()))

    @property
    def measured(self) -> Measured:
        """Return the figures of all rounds; only for cells that were measured, such as those of `Row.measured`."""
        assert self.cell.measured is not None  # noqa: S101 - only asked of measured cells
        return self.cell.measured

    @property
    def rps(self) -> float:
        """Return the throughput; only for cells that were measured."""
        return self.measured.rps_median

    @property
    def client_cpu(self) -> float:
        """Return the client's CPU in microseconds per command; only for cells that were measured."""
        return self.measured.client_cpu_us_per_command


@dataclass(frozen=True)
class Row:
    """A scenario in one shape, of one workload."""

    number: int
    scenario: Scenario
    shape: Shape
    spec: ScenarioSpec
    places: tuple[MatrixCell, ...]
    """In the order of the columns; a client that the run does not have in this row has none."""
    pairs: tuple[Pairs, ...]
    """More than one if the clients did not all take turns with each other."""

    @cached_property
    def label(self) -> str:
        """Return the scenario, shape and workload in words."""
        return _joined(self.scenario, self.shape_label)

    @cached_property
    def shape_label(self) -> str:
        """Return the shape in words, and the workload if the run has several."""
        return cell_label(self.places[0].cell)

    @cached_property
    def scenario_label(self) -> str:
        """Return the scenario in words, and the workload if the run has several."""
        return _joined(self.scenario, workload_label(self.places[0].cell))

    @property
    def workload(self) -> str:
        """Return the workload's name."""
        return self.places[0].cell.workload

    @cached_property
    def family(self) -> str:
        """Return what the row has in common with rows that differ only in depth."""
        rest = shape_label(self.shape.model_copy(update={"depth": None}))
        return _joined(self.scenario, rest, workload_label(self.places[0].cell))

    @property
    def groups(self) -> list[str]:
        """Return the names of the groups of rows that share a chart with it."""
        return [self.scenario_label, self.family]

    @cached_property
    def unit(self) -> str:
        """Return what one latency sample covers."""
        return sample_covers(self.scenario, self.shape)

    @cached_property
    def by_column(self) -> dict[int, MatrixCell]:
        """Return the places by the number of their column."""
        return {place.column.number: place for place in self.places}

    @cached_property
    def measured(self) -> tuple[MatrixCell, ...]:
        """Return the places that have figures."""
        return tuple(place for place in self.places if place.cell.measured is not None)

    def ratio(self, metric: str, place: MatrixCell, baseline: MatrixCell) -> ShownRatio | None:
        """Return the ratio of two clients; None if they did not take turns."""
        both = (place.cell.cell_id, baseline.cell.cell_id)
        of_both = (pairs for pairs in self.pairs if set(both) <= set(pairs.cells))
        return next((found for pairs in of_both if (found := pairs.ratio(metric, *both))), None)


@dataclass(frozen=True)
class View:
    """A run as the page shows it."""

    manifest: Manifest
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    baseline: Column
    """The baseline that the page starts with."""
    changes: tuple[VersionChange, ...]
    """New versions compared with older ones."""

    @property
    def languages(self) -> list[str]:
        """Return the languages in the order of the columns."""
        return list(dict.fromkeys(column.language for column in self.columns))

    @property
    def scenarios(self) -> list[Scenario]:
        """Return the scenarios in the order of the rows."""
        return list(dict.fromkeys(row.scenario for row in self.rows))

    @property
    def cells(self) -> list[ReportCell]:
        """Return the cells in the order of the rows."""
        return [place.cell for row in self.rows for place in row.places]


def make_view(run: Run, specs: dict[Scenario, ScenarioSpec], baseline: str | None = None) -> View:
    """Return the view of a run; `baseline` is a client, by default the first."""
    cells, blocks = cells_of(run, baseline), counted(run).blocks
    columns = _columns(cells)
    records = {found[0].cell_id: found for found in run.by_cell()}
    pairs = pairs_of(blocks, baseline, run.manifest.looks)
    chosen = next((column for name, column in columns.items() if baseline in {None, name}))
    rows = _rows(cells, columns, records, _by_cell(pairs), run.manifest.defined(specs))
    changes = version_changes(blocks, run.manifest.looks)
    return View(run.manifest, tuple(columns.values()), tuple(rows), chosen, tuple(changes))


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def _columns(cells: Sequence[ReportCell]) -> dict[str, Column]:
    first = {cell.client: cell for cell in reversed(cells)}
    names = list(dict.fromkeys(cell.client for cell in cells))
    versions = {cell.client: cell.versions for cell in cells if cell.versions}
    drawn = looks(first[name].language for name in names)
    return {
        name: Column(
            number,
            name,
            first[name].language,
            drawn[number],
            tuple(f"{what} {version}" for what, version in versions.get(name, {}).items()),
        )
        for number, name in enumerate(names)
    }


def _by_cell(pairs: Sequence[Pairs]) -> dict[str, Pairs]:
    return {cell: one for one in pairs for cell in one.cells}


def _rows(
    cells: Sequence[ReportCell],
    columns: dict[str, Column],
    records: Mapping[str, Records],
    pairs: dict[str, Pairs],
    specs: dict[Scenario, ScenarioSpec],
) -> list[Row]:
    by_row: defaultdict[tuple[Scenario, str, str], dict[str, ReportCell]] = defaultdict(dict)
    for cell in cells:
        # If a block was split, its first client is in every part: only the first part's cell is shown.
        by_row[cell.scenario, cell.shape.model_dump_json(), cell.workload].setdefault(cell.client, cell)
    rows: list[Row] = []
    count = 0
    for (scenario, *_), found in by_row.items():
        shown = [(column, found[name]) for name, column in columns.items() if name in found]
        places = tuple(
            MatrixCell(count + number, column, cell, records.get(cell.cell_id, ()))
            for number, (column, cell) in enumerate(shown)
        )
        count += len(places)
        of_row = {id(one): one for _, cell in shown if (one := pairs.get(cell.cell_id)) is not None}
        shape = shown[0][1].shape
        rows.append(Row(len(rows), scenario, shape, specs[scenario], places, tuple(of_row.values())))
    return rows
