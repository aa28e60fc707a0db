"""Tables as data: one a scenario, rows are shapes with their metrics, columns are clients."""

from collections.abc import Callable
from dataclasses import dataclass

from respmark.contract.trial import Scenario, Shape
from respmark.records import Status
from respmark.report import numbers
from respmark.report.words import (
    OTHER_DECODING,
    RATIO_NAMES,
    decodes_otherwise,
    footnotes,
    missing_notes,
    precision_lines,
    shape_label,
)
from respmark.results.manifest import Manifest
from respmark.results.store import Run
from respmark.specs.scenario import ScenarioSpec, sample_covers
from respmark.statistics.blocks import ShownRatio
from respmark.statistics.cells import Cell, Measured, cells_of


@dataclass(frozen=True)
class Row:
    """One metric of all clients."""

    metric: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """One shape: its metrics."""

    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ScenarioTable:
    """One scenario's table, or that of another topic of micro-benchmarks."""

    scenario: str
    summary: str
    clients: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """The tables of one run."""

    manifest: Manifest
    cells: tuple[Cell, ...]
    tables: tuple[ScenarioTable, ...]
    missing: tuple[str, ...]
    """Why clients are missing."""
    precision: tuple[str, ...]
    """How narrow the intervals of the ratios are."""


def make_report(run: Run, specs: dict[Scenario, ScenarioSpec], baseline: str | None = None) -> Report:
    """Return the report of a run; `baseline` is a client, else each block's first is it."""
    cells = cells_of(run, baseline)
    tables = tuple(make_tables(cells, specs))
    return Report(run.manifest, tuple(cells), tables, tuple(missing_notes(cells)), tuple(precision_lines(cells)))


def make_tables(cells: list[Cell], specs: dict[Scenario, ScenarioSpec]) -> list[ScenarioTable]:
    """Return the tables of all scenarios in the order in which the cells name them."""
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    clients = tuple(dict.fromkeys(cell.client for cell in cells))
    return [_table([c for c in cells if c.scenario is s], s, clients, specs[s]) for s in scenarios]


def _table(cells: list[Cell], scenario: Scenario, clients: tuple[str, ...], spec: ScenarioSpec) -> ScenarioTable:
    shapes = list({cell.shape.model_dump_json(): cell.shape for cell in cells}.values())
    here = tuple(client for client in clients if any(cell.client == client for cell in cells))
    # Where a block was split, its first client is in every part: the first of them is shown.
    by_place = {(cell.shape.model_dump_json(), cell.client): cell for cell in reversed(cells)}
    blocks = tuple(
        _block(scenario, shape, [by_place.get((shape.model_dump_json(), client)) for client in here])
        for shape in shapes
    )
    return ScenarioTable(scenario, spec.summary, here, blocks, tuple(footnotes(cells)))


def _block(scenario: Scenario, shape: Shape, cells: list[Cell | None]) -> Block:
    unit = sample_covers(scenario, shape)
    metrics: list[tuple[str, Callable[[Measured], str]]] = [
        ("RPS, median", lambda m: numbers.rps(m.rps_median)),
        ("  min..max", lambda m: numbers.span(numbers.rps(m.rps_min), numbers.rps(m.rps_max))),
        ("client CPU", lambda m: _cpu(m.client_cpu_percent, m.client_cpu_us_per_command)),
        ("server CPU", lambda m: _cpu(m.server_cpu_percent, m.server_cpu_us_per_command)),
        (f"p50 / p99 a {unit}", lambda m: _pair(m.p50_ms, m.p99_ms)),
        ("  p99.9 / max", lambda m: _pair(m.p999_ms, m.max_ms)),
        ("commands a read", lambda m: "" if m.commands_per_read is None else f"{m.commands_per_read:.1f}"),
        ("connections", _connections),
        ("bottleneck", lambda m: str(m.bottleneck or "")),
    ]
    rows = [Row(name, tuple(write(c.measured) if c and c.measured else "" for c in cells)) for name, write in metrics]
    rows[2:2] = _ratios(cells)
    headlines = (_headline(value, cell, cells) for value, cell in zip(rows[0].values, cells, strict=True))
    first = Row(rows[0].metric, tuple(headlines))
    shown = [row for row in [first, *rows[1:]] if any(row.values)]
    return Block(shape_label(shape), tuple(shown))


def _ratios(cells: list[Cell | None]) -> list[Row]:
    """Return the ratios to the block's baseline, with their intervals; none where nothing was compared."""
    compared = [cell.comparison for cell in cells if cell is not None and cell.comparison is not None]
    if not compared:
        return []
    return [
        Row(
            f"{name} / {compared[0].baseline_client}",
            tuple(_ratio(cell, metric, compared[0].baseline) for cell in cells),
        )
        for metric, name in RATIO_NAMES.items()
    ]


def _ratio(cell: Cell | None, metric: str, baseline: str) -> str:
    if cell is None or (cell.comparison is None and cell.cell_id != baseline):
        return ""
    if cell.comparison is None:
        return "1"
    ratio: ShownRatio = getattr(cell.comparison, metric)
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.2f} (no interval)"
    return f"{ratio.value:.2f} ({ratio.low:.2f}..{ratio.high:.2f})" + ("" if ratio.shown else " =")


def _headline(value: str, cell: Cell | None, cells: list[Cell | None]) -> str:
    """Put what is shown in place of, or beside, a figure: no row is left out."""
    if cell is None:
        return ""
    if cell.status is not Status.OK:
        return str(cell.status)
    decoding = f" {OTHER_DECODING}" if decodes_otherwise(cell, filter(None, cells)) else ""
    return value + decoding + (" *" if cell.rounds_failed else "")


def _cpu(percent: float, us_per_command: float) -> str:
    return f"{numbers.percent(percent)}, {numbers.microseconds(us_per_command)}"


def _pair(first: float | None, second: float | None) -> str:
    return f"{numbers.milliseconds(first)} / {numbers.milliseconds(second)} ms"


def _connections(measured: Measured) -> str:
    opened = f", {measured.connections_received:,} new" if measured.connections_received else ""
    return f"{measured.connections_open:,}{opened}"
