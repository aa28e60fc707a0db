"""The answer of a run, on one screen: which client is how fast in which use, what that costs, and how sure it is.

A client that the user named has a line, with or without figures. Of the suite's clients, those that were tried have
lines, or the best of each language if they are many. A suite that compares libraries with themselves shows them all.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from respmark import numbers
from respmark.figures.cells import Cell
from respmark.figures.ranking import Standing
from respmark.kinds.loops.columns import both_ms, connections, redirected
from respmark.kinds.loops.connections import connection_chapters
from respmark.kinds.loops.highest import highest_rates
from respmark.kinds.loops.load import load_chapters
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.notes import precision_line
from respmark.report.changes import place_chapters, version_sentence
from respmark.report.columns import ratio_text, same, written
from respmark.report.guidance import in_one_line, judged
from respmark.report.labels import cell_name, heading, listed, row_namer
from respmark.report.notes import caveats
from respmark.report.report import Report
from respmark.report.scenarios import Sort, main_cell, sorted_cells
from respmark.report.series import bar, timeline_chapters
from respmark.report.table import (
    Chapter,
    Column,
    Table,
    TableCell,
    subject,
    table,
    without_column,
    without_empty_columns,
)
from respmark.results.records import Status


@dataclass(frozen=True)
class Line:
    """A client's line in the answer."""

    cell: Cell
    name: str
    ratio: str
    cpu_ratio: str = ""
    marks: tuple[str, str] = ("", "")
    """Of client CPU and server CPU: `=` where no difference is shown."""
    most: float = 0.0
    """The highest throughput of its table."""


def _if_measured(text: Callable[[Line, LoopFigures], str]) -> Callable[[Line], str]:
    return lambda line: "" if line.cell.measured is None else text(line, line.cell.measured)


def _name(line: Line) -> TableCell:
    standing = _claimed(line.cell)
    return TableCell(line.name, "client best" if standing and standing.is_fastest else "client")


def _client_us(line: Line, measured: LoopFigures) -> str:
    known = numbers.significant(measured.client_cpu_us_per_command)
    return f"{known}{line.marks[0]}" if known else ""


NAME: Final = subject(_name)
RPS: Final[Column[Line]] = Column("RPS", lambda line: main_cell(line.cell))
BAR: Final[Column[Line]] = Column(
    "", _if_measured(lambda line, measured: bar(measured.rps_median / line.most if line.most else 0.0)), is_text=True
)
SERVER_US: Final = _if_measured(
    lambda line, measured: f"{numbers.significant(measured.server_cpu_us_per_command)}{line.marks[1]}"
)
RATIO: Final = _if_measured(lambda line, _: line.ratio)
NOT_COMPARED: Final = "not compared"
LANGUAGE: Final[Column[Line]] = Column("language", lambda line: line.cell.language, is_extra=True, is_text=True)
CPU_RATIO: Final = Column("client CPU\nratio", _if_measured(lambda line, _: line.cpu_ratio), is_extra=True)
"""The best of each language are compared in throughput alone."""
CLOSED: Final = (
    NAME,
    RPS,
    BAR,
    Column("client\nCPU µs", _if_measured(_client_us)),
    Column("connections", _if_measured(lambda line, measured: connections(line.cell, measured)), is_extra=True),
    Column("server\nCPU µs", SERVER_US),
    Column("server calls\nper command", _if_measured(lambda _, found: numbers.significant(found.calls_per_command))),
    Column("RPS ratio", RATIO),
    CPU_RATIO,
    LANGUAGE,
)
OPEN: Final = (
    NAME,
    RPS,
    Column("client\nCPU %", _if_measured(lambda _, measured: f"{measured.client_cpu_percent:.0f}")),
    Column("server\nCPU µs", SERVER_US, is_extra=True),
    Column("p50/p99 ms\ndue to done", _if_measured(lambda _, measured: both_ms(measured, "p50_ms", "p99_ms"))),
    Column("p50/p99 ms\ndue to begun", _if_measured(lambda _, measured: both_ms(measured, "lag_p50_ms", "lag_p99_ms"))),
    Column("sent on %\nper moved slot", _if_measured(lambda _, measured: redirected(measured))),
    Column("asked for\nnodes per s", _if_measured(lambda _, found: written("{:.1f}", "topology_calls_per_s", found))),
    Column("p99 ratio", RATIO),
    LANGUAGE,
)
"""Of rates, for which throughput says nothing."""
Use = tuple[list[Cell], Table]
"""The cells of one scenario, shape and workload that took turns, and what the answer shows of them."""
TITLE: Final = "the answer"
BEST: Final = " (best of each language)"
FEW: Final = 6
"""Up to so many clients each have their line, whoever chose them."""
LINES: Final = 44
"""More lines, with the text around them, do not fit on a screen: then only one shape of each scenario is shown."""
LEGEND: Final = (
    "Ratios have 95 % intervals. = and tied: no difference shown, corrected for all clients of a use (Holm). CPU is "
    "per command."
)
NO_CLAIMS: Final = "No differences are claimed: intervals need at least two rounds, with clients that took turns."


def answer(report: Report, title: str | None = None) -> list[Chapter]:
    """Return the answer of a run, as far as it fits a screen; with a title, of a run that still goes on."""
    chapters = timeline_chapters(report.timelines, title)
    if report.manifest.is_about_memory:
        chapters = [replace(one, title=title or TITLE) for one in connection_chapters(report.run)]
    if not chapters or any(cell.shape.rate for cell in report.cells):
        chapters += _clients_chapters(report, title)
    if title is None:
        chapters += load_chapters(highest_rates(report.run, report.cells))
        careful = tuple(caveats(report.manifest, report.cells))
        chapters += [Chapter("caveats", notes=careful, level=3)] if careful else []
        chapters += [Chapter("", (line,)) for line in _closing(report)]
    return chapters


def _clients_chapters(report: Report, title: str | None) -> list[Chapter]:
    """Return how clients compare, as far as it fits a screen."""
    uses, is_suites = _uses(report), _is_suites(report)
    fitting = _fitting(uses, report) if is_suites else uses
    legend = tuple(_legend(uses, fitting))
    closed, timed = ([use for use in fitting if _is_open(use) is found] for found in (False, True))
    chapters = [_chapter(title or TITLE, closed or timed, legend)]
    chapters += [_chapter("with a rate", timed, (), level=3)] if closed and timed else []
    return chapters + place_chapters(report.cells)


def other_uses(report: Report) -> list[Chapter]:
    """Return what does not fit a screen."""
    uses = _uses(report)
    fitting = _fitting(uses, report) if _is_suites(report) else uses
    left_out = [use for use in uses if use not in fitting]
    parts = ([use for use in left_out if _is_open(use) is found] for found in (False, True))
    return [_chapter("", part, ()) for part in parts if part]


def _chapter(title: str, uses: Sequence[Use], notes: tuple[str, ...], level: int = 2) -> Chapter:
    tables = without_empty_columns([table for _, table in uses], NOT_COMPARED)
    if any(BEST in table.title for table in tables):
        tables = tuple(without_column(table, CPU_RATIO) for table in tables)
    return Chapter(title, (), tables, notes, is_joined=True, level=level)


def _is_suites(report: Report) -> bool:
    """Return whether the suite chose what is compared, so that the best of many clients are enough."""
    return not report.manifest.named_clients and not _compares_variants(report.cells)


def _uses(report: Report) -> list[Use]:
    """Return the uses that have a line; searches for the highest rate and timelines have tables of their own."""
    has_languages = len({cell.language for cell in report.cells}) > 1
    clients: defaultdict[str, set[str]] = defaultdict(set)
    for cell in report.cells:
        clients[cell.block].add(cell.client)
    searched = {one.trial.cell_id for one in highest_rates(report.run, report.cells)}
    sizes = Counter(cell.block for cell in report.cells)
    groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in report.cells:
        in_timeline = report.timelines and cell.shape.rate is None
        if cell.cell_id not in searched and not in_timeline:
            groups[_group_of(cell, sizes[cell.block], len(clients[cell.block]))].append(cell)
    is_suites = _is_suites(report)
    every = [(group, _table(group, report, is_suites=is_suites)) for group in groups.values()]
    shown = [(group, table) for group, table in every if table.rows]
    return shown if has_languages else [(group, without_column(table, LANGUAGE)) for group, table in shown]


def _group_of(cell: Cell, cells: int, clients: int) -> tuple[object, ...]:
    """Return what the rows of a table have in common: the use, or the client whose uses a block compares.

    Cells that nothing took turns with share a table by their use.
    """
    if cells == 1:
        return tuple(cell.use)
    if clients == 1:
        return cell.block, cell.shape.rate is None
    return cell.block, *cell.use


def _is_open(use: Use) -> bool:
    return use[0][0].shape.rate is not None


def _compares_variants(cells: Sequence[Cell]) -> bool:
    """Return whether every block compares each of its libraries with itself, such as with and without TLS."""
    clients: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in cells:
        clients[cell.block, cell.library].add(cell.client)
    return all(len(found) > 1 for found in clients.values())


def _table(group: Sequence[Cell], report: Report, *, is_suites: bool) -> Table:
    title, name = heading(group), row_namer(group)
    columns = OPEN if group[0].shape.rate is not None else CLOSED
    is_many = _measured(group) > FEW and len({cell.block for cell in group}) == 1
    if is_suites and is_many and any(map(_claimed, group)):  # of one round, nothing is claimed
        return table(title + BEST, _with_bars(_best_of_each_language(group)), columns)
    hidden = set() if report.manifest.named_clients else {Status.UNSUPPORTED, Status.MISSING}
    shown = [cell for cell in group if cell.status not in hidden]
    if is_suites and columns is CLOSED and len({(cell.scenario, cell.shape, cell.workload) for cell in shown}) == 1:
        shown = sorted_cells(shown, Sort.RPS)
    baselines = {cell.comparison.base.cell_id for cell in report.cells if cell.comparison}
    elsewhere = {cell.comparison.base.cell_id for cell in group if cell.comparison} - {cell.cell_id for cell in group}
    if others := dict.fromkeys(cell_name(cell) for cell in report.cells if cell.cell_id in elsewhere):
        title += f" (ratios to {' and '.join(others)})"
    lines = (_to_baseline(cell, name(cell), is_baseline=cell.cell_id in baselines) for cell in shown)
    return table(title, _with_bars(lines), columns, _sentences(shown, report))


def _with_bars(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines of a table, each with the highest throughput of it."""
    every = list(lines)
    most = max((one.cell.measured.rps_median for one in every if one.cell.measured), default=0.0)
    yield from (replace(one, most=most) for one in every)


def _measured(group: Sequence[Cell]) -> int:
    return sum(cell.measured is not None for cell in group)


def _sentences(shown: Sequence[Cell], report: Report) -> Iterator[str]:
    """Yield how a library's versions differ in this use, and why clients that have a line cannot be measured."""
    own = {cell.cell_id for cell in shown}
    for change in report.changes_by_block:
        if {change.new.cell_id, change.base.cell_id} <= own:
            yield version_sentence(change)
    for cell in shown:
        if cell.status is Status.UNSUPPORTED:
            yield f"{cell.client} is unsupported: {cell.reason}"


def _best_of_each_language(group: Sequence[Cell]) -> Iterator[Line]:
    name = row_namer(group)
    measured = sorted_cells((cell for cell in group if cell.measured), Sort.RPS)
    best = [cell for cell in measured if cell.standing is None or cell.standing.is_fastest_of_language]
    claimed = {cell.library: cell for cell in reversed(best) if _claimed(cell)}
    fastest = [cell for cell in best if claimed.get(cell.library, cell) is cell]
    for language in dict.fromkeys(cell.language for cell in fastest):
        first, *others = [cell for cell in fastest if cell.language == language]
        yield Line(first, name(first), _to_fastest(first))
        for cell in others:
            tied = f", tied with {name(first)}" if _claimed(cell) else ""
            yield Line(cell, name(cell) + tied, _to_fastest(cell))


def _to_fastest(cell: Cell) -> str:
    """Return how far the client is from the fastest of all, and how sure that is."""
    if (standing := _claimed(cell)) is None:
        return NOT_COMPARED
    if cell.unversioned_subject == standing.leader:
        return "fastest, tied" if standing.is_tied else "fastest"
    return NOT_COMPARED if standing.ratio is None else ratio_text(standing.ratio)


def _to_baseline(cell: Cell, name: str, *, is_baseline: bool) -> Line:
    """Return a cell's line, compared with the baseline; costs are marked if no difference is shown."""
    if cell.comparison is None:
        return Line(cell, name, "baseline" if is_baseline else NOT_COMPARED)
    if cell.shape.rate is not None:
        return Line(cell, name, ratio_text(cell.comparison.ratio("p99")) or NOT_COMPARED)
    rps, client, server = (cell.comparison.ratio(metric) for metric in ("rps", "client_cpu", "server_cpu"))
    return Line(cell, name, ratio_text(rps), ratio_text(client), (same(client), same(server)))


def _claimed(cell: Cell) -> Standing | None:
    return cell.standing if cell.standing and cell.standing.is_claimed else None


def _has_interval(cell: Cell) -> bool:
    return cell.comparison is not None and cell.comparison.ratio("rps").low is not None


def _fitting(uses: list[Use], report: Report) -> list[Use]:
    """Return what fits a screen: all uses, one of each scenario and of each client alone, or one of each scenario."""
    if _lines(uses) <= LINES:
        return uses
    typical = _typical(uses, report, lambda group: group[0].client if len({one.client for one in group}) == 1 else "")
    return typical if _lines(typical) <= LINES else _typical(uses, report, lambda _: "")


def _lines(uses: Sequence[Use]) -> int:
    return sum(1 + len(table.rows) + len(table.notes) for _, table in uses)


def _typical(uses: Sequence[Use], report: Report, part: Callable[[list[Cell]], str]) -> list[Use]:
    """Return one use of each scenario, or of each part of it: of the suite's own workload if it has it.

    It is the shape that most clients have, or the middle one if there are several such shapes.
    """
    own = report.manifest.first_workload
    scenarios: defaultdict[tuple[str, str], list[Use]] = defaultdict(list)
    for use in uses:
        scenarios[use[0][0].scenario, part(use[0])].append(use)
    found = []
    for of_scenario in scenarios.values():
        few = [(group, table) for group, table in of_scenario if group[0].workload == own] or of_scenario
        most = max(_measured(group) for group, _ in few)
        alike = [(group, table) for group, table in few if _measured(group) == most]
        found.append(alike[(len(alike) - 1) // 2])
    return found


def _legend(uses: list[Use], shown: list[Use]) -> Iterator[str]:
    if any(_claimed(cell) or _has_interval(cell) for group, _ in uses for cell in group):
        yield LEGEND
    elif any(_measured(group) for group, _ in shown):
        yield NO_CLAIMS
    if left_out := dict.fromkeys(heading(use[0]) for use in uses if use not in shown):
        yield f"Not shown here: {listed(left_out, '; ')}"


def _closing(report: Report) -> Iterator[str]:
    """Yield what published claims come to, and how well the run measured."""
    # A question about some clients is not one about advice.
    if judged(report.verdicts) or (report.verdicts and not report.manifest.named_clients):
        yield in_one_line(report.verdicts)
    if known := precision_line(report.cells):
        yield known
    manifest = report.manifest
    if manifest.wall_s and manifest.measured_s is not None:
        took = f"{manifest.measured_s:,.0f} s of the run's {manifest.wall_s:,.0f} s"
        yield f"Measured slices took {took} ({100 * manifest.measured_s / manifest.wall_s:.0f} %)"
