"""Tables as data: one per scenario, with a block per shape and a row per client."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario, Shape
from respmark.guidance.verdict import JudgedClaim
from respmark.report.notes import (
    OTHER_DECODING,
    Footnotes,
    cell_label,
    cell_note,
    decodes_otherwise,
    missing_notes,
    table_notes,
)
from respmark.results.manifest import Manifest
from respmark.results.records import Status
from respmark.results.store import Run
from respmark.specs.scenario import ScenarioSpec, sample_covers
from respmark.statistics.blocks import Comparison, ShownRatio
from respmark.statistics.cells import CountedRun, ReportCell, cells_of, counted
from respmark.statistics.measured import Measured, metrics
from respmark.statistics.metric import Compared, TableColumn, written
from respmark.statistics.versions import VersionChange, version_changes


class Sort(StrEnum):
    """What rows are sorted by; those without figures come last."""

    RPS = "rps"
    CLIENT_CPU = "client-cpu"
    SERVER_CPU = "server-cpu"
    P99 = "p99"
    SUITE = "suite"
    """The suite's own order."""


@dataclass(frozen=True)
class Column:
    """One column; its heading has one or two lines."""

    head: str
    is_extra: bool = False
    """Whether it is shown only if there is room for it."""


@dataclass(frozen=True)
class Row:
    """One client, or whatever else is compared."""

    subject: str
    values: tuple[str, ...]
    """One per column."""
    status: Status
    is_partial: bool = False
    """Whether rounds or slices that were planned are missing from the figures."""


@dataclass(frozen=True)
class Block:
    """One shape, of one workload."""

    label: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ScenarioTable:
    """One scenario's tables, or those of another topic of micro-benchmarks."""

    scenario: str
    summary: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...]
    """Each begins with the number by which rows refer to it, if any do."""


@dataclass(frozen=True)
class Report:
    """The tables of one run."""

    manifest: Manifest
    cells: tuple[ReportCell, ...]
    tables: tuple[ScenarioTable, ...]
    missing: tuple[str, ...]
    """Why clients are missing."""
    changes: tuple[VersionChange, ...]
    """New versions of libraries compared with old ones; all of them are one family."""
    changes_by_block: tuple[VersionChange, ...]
    """The same; those of each block are a family."""
    verdicts: tuple[JudgedClaim, ...]
    """Published claims, each with its verdict on this run; empty if they were not asked for."""


def make_report(
    run: Run | CountedRun,
    specs: dict[Scenario, ScenarioSpec],
    baseline: str | None = None,
    sort: Sort = Sort.RPS,
    verdicts: Iterable[JudgedClaim] = (),
) -> Report:
    """Return the report of a run; `baseline` is a client, by default each block's first."""
    run = counted(run)
    cells = cells_of(run, baseline)
    return Report(
        run.manifest,
        tuple(cells),
        tuple(make_tables(cells, run.manifest.defined(specs), sort, baseline)),
        tuple(missing_notes(cells)),
        tuple(version_changes(run.blocks, run.manifest.looks)),
        tuple(version_changes(run.blocks, run.manifest.looks, by_block=True)),
        tuple(verdicts),
    )


def make_tables(
    cells: list[ReportCell], specs: dict[Scenario, ScenarioSpec], sort: Sort = Sort.RPS, baseline: str | None = None
) -> list[ScenarioTable]:
    """Return the tables of all scenarios, in the order in which the cells name them."""
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    return [_table([c for c in cells if c.scenario is s], specs[s], sort, baseline) for s in scenarios]


def _table(cells: list[ReportCell], spec: ScenarioSpec, sort: Sort, baseline: str | None) -> ScenarioTable:
    scenario = cells[0].scenario
    notes = Footnotes()
    alike: dict[tuple[str, str], dict[str, ReportCell]] = {}
    for cell in cells:
        # By cell: if a block was split, its first client is in every part.
        alike.setdefault((cell.workload, cell.shape.model_dump_json()), {})[cell.cell_id] = cell
    blocks = tuple(_block(scenario, list(found.values()), sort, notes) for found in alike.values())
    return ScenarioTable(scenario, spec.summary, blocks, (*notes.numbered, *table_notes(cells, baseline)))


LAST: Final = (Status.OK, Status.FAILED, Status.NOT_MEASURED, Status.UNSUPPORTED, Status.MISSING)
"""The order of rows by status: those without figures come last."""


def sorted_cells(cells: Iterable[ReportCell], sort: Sort) -> list[ReportCell]:
    """Return the cells of one shape in the order of a table's rows."""
    if sort is Sort.SUITE:
        return list(cells)
    return sorted(cells, key=lambda cell: (LAST.index(cell.status), _sort_value(cell, sort)))


def _sort_value(cell: ReportCell, sort: Sort) -> tuple[float, float]:
    measured = cell.measured
    if measured is None:
        return 0.0, 0.0
    if sort is Sort.RPS:
        # By the ratios of laps, if there are any: figures over several processes and rounds are less certain.
        return (cell.standing.place if cell.standing else float("inf")), -measured.rps_median
    by = {
        Sort.CLIENT_CPU: measured.client_cpu_us_per_command,
        Sort.SERVER_CPU: measured.server_cpu_us_per_command,
        Sort.P99: measured.p99_ms if measured.p99_ms is not None else float("inf"),
    }
    return by[sort], 0.0


Write = Callable[[ReportCell, Measured], str]


def _block(scenario: Scenario, cells: Sequence[ReportCell], sort: Sort, notes: Footnotes) -> Block:
    ordered = sorted_cells(cells, sort)
    measured = [(cell, cell.measured) for cell in ordered if cell.measured]
    first, *others = _columns(scenario, cells[0].shape, cells)
    columns = [first, *(one for one in others if any(one[1](*both) for both in measured))]
    rows = []
    for cell in ordered:
        values = [write(cell, cell.measured) if cell.measured else "" for _, write in columns]
        if cell.measured is None:
            values[0] = str(cell.status)
        else:
            other = f" {OTHER_DECODING}" if decodes_otherwise(cell, ordered) else ""
            values[0] += other + (" *" if cell.is_partial else "")
        rows.append(Row(cell.client, (*values, notes.number(cell_note(cell))), cell.status, cell.is_partial))
    heads = (*(column for column, _ in columns), Column("note"))
    return _without_empty(Block(cell_label(cells[0]), heads, tuple(rows)))


def _without_empty(block: Block) -> Block:
    """Return the block, without its column of notes if there are none."""
    if any(row.values[-1] for row in block.rows):
        return block
    rows = tuple(Row(row.subject, row.values[:-1], row.status, row.is_partial) for row in block.rows)
    return Block(block.label, block.columns[:-1], rows)


def _columns(scenario: Scenario, shape: Shape, cells: Sequence[ReportCell]) -> list[tuple[Column, Write]]:
    baselines = list(dict.fromkeys(_baseline(cell, cell.comparison) for cell in cells if cell.comparison))
    to = f"to {baselines[0]}" if len(baselines) == 1 else "to the baseline"
    own = {cell.comparison.baseline for cell in cells if cell.comparison}
    unit = sample_covers(scenario, shape)

    def ratio(key: str) -> Write:
        return lambda cell, _: _ratio(cell, key, own, named=len(baselines) > 1)

    found: list[tuple[int, Column, Write]] = []
    for key, metric in metrics().items():
        if shown := metric.column:
            column = Column(shown.head.format(unit=unit), shown.is_extra)
            found.append((shown.place, column, _writer(key, shown, metric.compared)))
        if one := metric.compared:
            column = Column(f"{one.name} ratio\n{to}", is_extra=one.is_cost)
            found.append((one.place, column, ratio(one.key)))
    return [(column, write) for _, column, write in sorted(found, key=itemgetter(0))]


def _writer(key: str, column: TableColumn, compared: Compared | None) -> Write:
    """Return a function that writes a metric, and marks a cost if no difference from the baseline is shown."""

    def write(cell: ReportCell, measured: Measured) -> str:
        ratio = cell.comparison.ratio(compared.key) if cell.comparison and compared and compared.is_cost else None
        same = ratio is not None and ratio.low is not None and not ratio.shown
        return written(column.form, key, measured) + (" =" if same else "")

    return write


def _ratio(cell: ReportCell, metric: str, baselines: set[str], *, named: bool) -> str:
    """Return a ratio as text; if a suite's blocks have several baselines for one shape, it names its own."""
    if cell.comparison is None:
        return "1" if cell.cell_id in baselines else ""
    to = f" to {_baseline(cell, cell.comparison)}" if named else ""
    return ratio_words(cell.comparison.ratio(metric)) + to


def _baseline(cell: ReportCell, comparison: Comparison) -> str:
    """Return the name of what a cell is compared with, and its workload if that differs from the cell's."""
    other = comparison.baseline_workload != cell.workload
    return comparison.baseline_client + (f", workload {comparison.baseline_workload}" if other else "")


def ratio_words(ratio: ShownRatio) -> str:
    """Return a ratio with its interval as text; `=` means that no difference is shown."""
    if ratio.low is None or ratio.high is None:
        return f"{numbers.ratio(ratio.value)} (no interval)"
    interval = f"({numbers.ratio(ratio.low)}..{numbers.ratio(ratio.high)})"
    return f"{numbers.ratio(ratio.value)} {interval}" + ("" if ratio.shown else " =")
