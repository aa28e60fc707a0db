"""The answer first: what each client does and costs, how sure that is, and what to be careful about.

A client that the user named has a line, with or without figures. Of the suite's clients, those that were tried have
lines, or the best of each language if they are many. A suite that compares libraries with themselves shows them all.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from respmark import numbers
from respmark.report.guidance import in_one_line, with_figures
from respmark.report.header import listed
from respmark.report.notes import caveats, cell_label, cell_name, joined, precision_line
from respmark.report.report import Report
from respmark.report.scenarios import Sort, ratio_text, rps_cell, same, sorted_cells
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Row, Table, without_empty_columns
from respmark.report.table import row as row_of
from respmark.report.versions import version_sentence
from respmark.results.records import Status
from respmark.statistics.cells import ReportCell

COLUMNS: Final = (
    SUBJECT,
    Column("language", is_extra=True, is_text=True),
    Column("RPS"),
    Column("client\nCPU µs"),
    Column("server\nCPU µs"),
    Column("RPS ratio"),
    Column("client CPU ratio", is_extra=True),
)
FEW: Final = 6
"""Up to so many clients each have their line, whoever chose them."""
LINES: Final = 44
"""More lines, with the text around them, do not fit on a screen: then only one shape of each scenario is shown."""
LEGEND: Final = (
    "=: no difference shown, all clients of a use taken together (Holm). In parentheses: 95 % intervals. "
    "CPU: per command."
)
NO_CLAIMS: Final = "No differences are claimed: intervals need at least two rounds, with clients that took turns."


@dataclass(frozen=True)
class Use:
    """The cells of one scenario, shape and workload that took turns, and what the answer shows of them."""

    cells: Sequence[ReportCell]
    table: Table

    @property
    def label(self) -> str:
        """Return scenario, shape and workload."""
        return joined(self.cells[0].scenario, cell_label(self.cells[0]))

    @property
    def measured(self) -> int:
        """Return how many clients have figures."""
        return sum(cell.measured is not None for cell in self.cells)


def answer(report: Report, title: str | None = None, *, is_whole: bool = False) -> list[Chapter]:
    """Return the summary of a run, whole where it need not fit a screen; with a title, of a run that still goes on."""
    if len({cell.language for cell in report.cells}) == 1:
        report = replace(report, cells=tuple(cell.model_copy(update={"language": ""}) for cell in report.cells))
    groups: defaultdict[tuple[str | None, ...], list[ReportCell]] = defaultdict(list)
    for cell in report.cells:
        groups[cell.block, cell.scenario, cell.shape.model_dump_json(), cell.workload].append(cell)
    is_suites = not report.manifest.named_clients and not _compares_variants(report)
    uses = [use for group in groups.values() if (use := _use(group, report, is_suites=is_suites)).table.rows]
    shown = _fitting(uses, str(report.manifest.workload["name"])) if is_suites and not is_whole else uses
    tables = without_empty_columns([use.table for use in shown])
    chapters = [Chapter(title or "the answer", (), tables, tuple(_legend(uses, shown)), is_joined=True)]
    if title is None:
        careful = tuple(caveats(report.manifest, report.cells))
        chapters += [Chapter("be careful", notes=careful, level=3)] if careful else []
        chapters += [Chapter("", (line,)) for line in _closing(report)]
    return chapters


def _compares_variants(report: Report) -> bool:
    """Return whether every block compares each of its libraries with itself, such as with and without TLS."""
    clients: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
    for cell in report.cells:
        clients[cell.block, cell.library].add(cell.client)
    return all(len(found) > 1 for found in clients.values())


def _use(group: Sequence[ReportCell], report: Report, *, is_suites: bool) -> Use:
    label = joined(group[0].scenario, cell_label(group[0]))
    if is_suites and sum(cell.measured is not None for cell in group) > FEW:
        return Use(group, Table(f"{label} (best of each language)", COLUMNS, tuple(_best_of_each_language(group))))
    shown = list(group)
    if not report.manifest.named_clients:
        shown = [cell for cell in group if cell.status not in {Status.UNSUPPORTED, Status.MISSING}]
    if is_suites:
        shown = sorted_cells(shown, Sort.RPS)
    ids = {cell.comparison.baseline for cell in report.cells if cell.comparison}
    baselines = {cell.cell_id: cell for cell in report.cells if cell.cell_id in ids}
    compared = (baselines[cell.comparison.baseline] for cell in group if cell.comparison)
    others = dict.fromkeys(cell_name(one) for one in compared if one not in group)
    title = f"{label} (ratios to {' and '.join(others)})" if others else label
    rows = tuple(_to_baseline(cell, baselines) for cell in shown)
    return Use(group, Table(title, COLUMNS, rows, tuple(_sentences(shown, report))))


def _sentences(shown: Sequence[ReportCell], report: Report) -> Iterator[str]:
    """Yield how a library's versions differ in this use, and why clients that have a line cannot be measured."""
    places = {(cell.client, cell.scenario, cell.shape, cell.workload) for cell in shown}
    for change in report.changes_by_block:
        workload = change.workload or (shown[0].workload if shown else "")
        if {(one.client, change.scenario, change.shape, workload) for one in (change.new, change.old)} <= places:
            yield version_sentence(change)
    for cell in shown:
        if cell.status is Status.UNSUPPORTED:
            yield f"{cell.client} is unsupported: {cell.reason}"


def _best_of_each_language(group: Sequence[ReportCell]) -> Iterator[Row]:
    measured = sorted_cells((cell for cell in group if cell.measured), Sort.RPS)
    best = [cell for cell in measured if cell.standing is None or cell.standing.is_fastest_of_language]
    claimed = {cell.library: cell for cell in reversed(best) if _is_claimed(cell)}
    fastest = [cell for cell in best if claimed.get(cell.library, cell) is cell]
    for language in dict.fromkeys(cell.language for cell in fastest):
        for number, cell in enumerate(one for one in fastest if one.language == language):
            yield _row(cell, _to_fastest(cell), name=f"{'= ' if number and _is_claimed(cell) else ''}{cell.client}")


def _to_fastest(cell: ReportCell) -> str:
    """Return how far the client is from the fastest of all, and how sure that is."""
    standing = cell.standing
    if standing is None or not standing.is_claimed:
        return "not compared"
    if cell.client == standing.leader:
        return "fastest =" if standing.is_tied else "fastest"
    return "not compared" if standing.ratio is None else ratio_text(standing.ratio)


def _to_baseline(cell: ReportCell, baselines: Mapping[str, ReportCell]) -> Row:
    """Return a cell's line, compared with the baseline; costs are marked if no difference is shown."""
    if cell.comparison is None:
        return _row(cell, "baseline" if cell.cell_id in baselines else "not compared")
    rps, client, server = (cell.comparison.ratio(metric) for metric in ("rps", "client_cpu", "server_cpu"))
    return _row(cell, ratio_text(rps), ratio_text(client), (same(client), same(server)))


def _row(
    cell: ReportCell, rps_ratio: str, cpu_ratio: str = "", marks: tuple[str, str] = ("", ""), name: str | None = None
) -> Row:
    measured, is_fastest = cell.measured, _is_claimed(cell) and cell.standing and cell.standing.is_fastest
    subject = Cell(name or cell.client, "best client" if is_fastest else "client")
    if measured is None:
        return row_of(subject, cell.language, rps_cell(cell), "", "", "", "")
    costs = (measured.client_cpu_us_per_command, measured.server_cpu_us_per_command)
    costs_text = (f"{numbers.significant(cost)}{mark}" for cost, mark in zip(costs, marks, strict=True))
    return row_of(subject, cell.language, rps_cell(cell), *costs_text, rps_ratio, cpu_ratio)


def _is_claimed(cell: ReportCell) -> bool:
    return cell.standing is not None and cell.standing.is_claimed


def _fitting(uses: list[Use], own: str) -> list[Use]:
    """Return all uses, or one of each scenario if they do not fit a screen: of the suite's own workload if it has it.

    It is the shape that most clients have, or the middle one if there are several such shapes.
    """
    if sum(1 + len(use.table.rows) + len(use.table.notes) for use in uses) <= LINES:
        return uses
    scenarios: defaultdict[str, list[Use]] = defaultdict(list)
    for use in uses:
        scenarios[use.cells[0].scenario].append(use)
    found = []
    for of_scenario in scenarios.values():
        few = [use for use in of_scenario if use.cells[0].workload == own] or of_scenario
        most = [use for use in few if use.measured == max(one.measured for one in few)]
        found.append(most[(len(most) - 1) // 2])
    return found


def _legend(uses: list[Use], shown: list[Use]) -> Iterator[str]:
    if any(_is_claimed(cell) for use in uses for cell in use.cells):
        yield LEGEND
    elif any(use.measured for use in shown):
        yield NO_CLAIMS
    if left_out := dict.fromkeys(use.label for use in uses if use not in shown):
        yield f"Not shown here: {listed(left_out, '; ')}"


def _closing(report: Report) -> Iterator[str]:
    """Yield what published claims come to, and how well the run measured."""
    # A question about some clients is not one about advice.
    if with_figures(report.verdicts) or (report.verdicts and not report.manifest.named_clients):
        yield in_one_line(report.verdicts)
    if known := precision_line(report.cells):
        yield known
    manifest = report.manifest
    if manifest.wall_s and manifest.measured_s is not None:
        took = f"{manifest.measured_s:,.0f} s of the run's {manifest.wall_s:,.0f} s"
        yield f"Measured slices took {took} ({100 * manifest.measured_s / manifest.wall_s:.0f} %)"
