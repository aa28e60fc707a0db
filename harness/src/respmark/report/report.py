"""The report of a run: its answer on one screen, every client and figure, and all of it as one document.

In the answer, a client that the user named has a line, with or without figures. Of the suite's clients, those that were
tried have lines, or the best of each language if they are many. A suite that compares libraries with themselves shows
them all.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.blocks import VersionChange, version_changes
from respmark.figures.cells import CountedRun, ReportCell, cells_of
from respmark.figures.load import Highest, highest_rates
from respmark.figures.measured import both_ms
from respmark.figures.ranking import Standing
from respmark.guidance.verdict import JudgedClaim
from respmark.report.changes import version_chapters, version_sentence
from respmark.report.depths import depth_chapters
from respmark.report.guidance import advice_chapters, in_one_line, with_figures
from respmark.report.header import header_lines, listed, short_header, versions_line
from respmark.report.load import load_chapters
from respmark.report.notes import caveats, cell_label, cell_name, joined, missing_notes, precision_line
from respmark.report.scenarios import Sort, ratio_text, rps_cell, same, scenario_chapters, sorted_cells
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Row, Table, row, without_empty_columns
from respmark.results.manifest import Manifest
from respmark.results.records import Status
from respmark.specs.scenario import ScenarioSpec

DETAILS: Final = "Every client and figure: respmark report RUN --details"
COLUMNS: Final = (
    SUBJECT,
    Column("language", is_extra=True, is_text=True),
    Column("RPS"),
    Column("client\nCPU µs"),
    Column("server\nCPU µs"),
    Column("RPS ratio"),
    Column("client CPU ratio", is_extra=True),
    Column("p50/p99 ms\ndue to done"),
    Column("p99 ratio"),
)
"""The last two are of rates, for which throughput says nothing."""
Use = tuple[list[ReportCell], Table]
"""The cells of one scenario, shape and workload that took turns, and what the answer shows of them."""
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
class Report:
    """The figures of one run, and how they are to be shown."""

    run: CountedRun
    shipped: Mapping[Scenario, ScenarioSpec]
    """The scenarios of this version of the suite; those of the run come first."""
    baseline: str | None = None
    """The client that others are compared with; by default each block's first."""
    sort: Sort = Sort.RPS
    verdicts: Sequence[JudgedClaim] = ()
    """Published claims, each with its verdict on this run; empty if they were not asked for."""

    @property
    def manifest(self) -> Manifest:
        """Return the run's manifest."""
        return self.run.manifest

    @property
    def specs(self) -> Mapping[Scenario, ScenarioSpec]:
        """Return its scenarios, as they were when it was measured."""
        return self.manifest.defined(self.shipped)

    @cached_property
    def cells(self) -> list[ReportCell]:
        """Return its cells, compared."""
        return cells_of(self.run, self.baseline)

    @cached_property
    def highest(self) -> list[Highest]:
        """Return the highest rates that were looked for."""
        return highest_rates(self.run, self.cells)

    @cached_property
    def changes(self) -> list[VersionChange]:
        """Return new versions of libraries compared with old ones; all of them are one family."""
        return version_changes(self.run.blocks, self.manifest.looks)

    @cached_property
    def changes_by_block(self) -> list[VersionChange]:
        """Return the same; those of each block are a family."""
        return version_changes(self.run.blocks, self.manifest.looks, by_block=True)


def summary(report: Report) -> list[Chapter]:
    """Return the answer, for a screen."""
    rates = load_chapters(report.highest)
    return [Chapter("", short_header(report.manifest)), *answer(report), *rates, Chapter("", (DETAILS,))]


def detailed(report: Report) -> list[Chapter]:
    """Return every client and figure."""
    return [
        Chapter("", tuple(header_lines(report.manifest))),
        *scenario_chapters(report.cells, report.specs, report.sort, report.baseline),
        *load_chapters(report.highest),
        *depth_chapters(report.run),
        *version_chapters(report.changes),
        *advice_chapters(report.verdicts),
        Chapter("", notes=missing_notes(report.cells)),
    ]


def document(report: Report) -> list[Chapter]:
    """Return everything."""
    header, *tables = detailed(report)
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    loaded = (f"loaded: {versions_line(versions)}",) if versions else ()
    title = f"respmark run {report.manifest.run_id}"
    return [Chapter(title, header.lines + loaded, level=1), *answer(report), *tables]


def answer(report: Report, title: str | None = None, *, is_whole: bool = False) -> list[Chapter]:
    """Return the summary of a run, whole where it need not fit a screen; with a title, of a run that still goes on."""
    has_languages = len({cell.language for cell in report.cells}) > 1
    groups: defaultdict[tuple[str, ...], list[ReportCell]] = defaultdict(list)
    for cell in report.cells:
        shown = cell if has_languages else cell.model_copy(update={"language": ""})
        groups[cell.block, cell.scenario, cell.shape.model_dump_json(), cell.workload].append(shown)
    is_suites = not report.manifest.named_clients and not _compares_variants(report.cells)
    every = [(group, _table(group, report, is_suites=is_suites)) for group in groups.values()]
    uses = [(group, table) for group, table in every if table.rows]
    fitting = _fitting(uses, str(report.manifest.workload["name"])) if is_suites and not is_whole else uses
    tables = without_empty_columns([table for _, table in fitting])
    chapters = [Chapter(title or "the answer", (), tables, tuple(_legend(uses, fitting)), is_joined=True)]
    if title is None:
        careful = tuple(caveats(report.manifest, report.cells))
        chapters += [Chapter("be careful", notes=careful, level=3)] if careful else []
        chapters += [Chapter("", (line,)) for line in _closing(report)]
    return chapters


def _compares_variants(cells: Sequence[ReportCell]) -> bool:
    """Return whether every block compares each of its libraries with itself, such as with and without TLS."""
    clients: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in cells:
        clients[cell.block, cell.library].add(cell.client)
    return all(len(found) > 1 for found in clients.values())


def _table(group: Sequence[ReportCell], report: Report, *, is_suites: bool) -> Table:
    title = _label(group)
    if is_suites and _measured(group) > FEW:
        return Table(f"{title} (best of each language)", COLUMNS, tuple(_best_of_each_language(group)))
    hidden = set() if report.manifest.named_clients else {Status.UNSUPPORTED, Status.MISSING}
    shown = [cell for cell in group if cell.status not in hidden]
    if is_suites:
        shown = sorted_cells(shown, Sort.RPS)
    baselines = {cell.comparison.baseline for cell in report.cells if cell.comparison}
    elsewhere = {cell.comparison.baseline for cell in group if cell.comparison} - {cell.cell_id for cell in group}
    if others := dict.fromkeys(cell_name(cell) for cell in report.cells if cell.cell_id in elsewhere):
        title += f" (ratios to {' and '.join(others)})"
    rows = tuple(_to_baseline(cell, is_baseline=cell.cell_id in baselines) for cell in shown)
    return Table(title, COLUMNS, rows, tuple(_sentences(shown, report)))


def _label(group: Sequence[ReportCell]) -> str:
    return joined(group[0].scenario, cell_label(group[0]))


def _measured(group: Sequence[ReportCell]) -> int:
    return sum(cell.measured is not None for cell in group)


def _sentences(shown: Sequence[ReportCell], report: Report) -> Iterator[str]:
    """Yield how a library's versions differ in this use, and why clients that have a line cannot be measured."""
    places = {(cell.client, cell.scenario, cell.shape, cell.workload) for cell in shown}
    for change in report.changes_by_block if shown else ():
        workload = change.workload or shown[0].workload
        if {(one.client, change.scenario, change.shape, workload) for one in (change.new, change.old)} <= places:
            yield version_sentence(change)
    for cell in shown:
        if cell.status is Status.UNSUPPORTED:
            yield f"{cell.client} is unsupported: {cell.reason}"


def _best_of_each_language(group: Sequence[ReportCell]) -> Iterator[Row]:
    measured = sorted_cells((cell for cell in group if cell.measured), Sort.RPS)
    best = [cell for cell in measured if cell.standing is None or cell.standing.is_fastest_of_language]
    claimed = {cell.library: cell for cell in reversed(best) if _claimed(cell)}
    fastest = [cell for cell in best if claimed.get(cell.library, cell) is cell]
    for language in dict.fromkeys(cell.language for cell in fastest):
        for number, cell in enumerate(one for one in fastest if one.language == language):
            yield _row(cell, _to_fastest(cell), tie="= " if number and _claimed(cell) else "")


def _to_fastest(cell: ReportCell) -> str:
    """Return how far the client is from the fastest of all, and how sure that is."""
    if (standing := _claimed(cell)) is None:
        return "not compared"
    if cell.subject == standing.leader:
        return "fastest =" if standing.is_tied else "fastest"
    return "not compared" if standing.ratio is None else ratio_text(standing.ratio)


def _to_baseline(cell: ReportCell, *, is_baseline: bool) -> Row:
    """Return a cell's line, compared with the baseline; costs are marked if no difference is shown."""
    if cell.comparison is None:
        return _row(cell, "baseline" if is_baseline else "not compared")
    if cell.shape.rate is not None:
        return _row(cell, ratio_text(cell.comparison.ratio("p99")) or "not compared")
    rps, client, server = (cell.comparison.ratio(metric) for metric in ("rps", "client_cpu", "server_cpu"))
    return _row(cell, ratio_text(rps), ratio_text(client), (same(client), same(server)))


def _row(cell: ReportCell, ratio: str, cpu_ratio: str = "", marks: tuple[str, str] = ("", ""), tie: str = "") -> Row:
    standing, measured = _claimed(cell), cell.measured
    subject = Cell(f"{tie}{cell.subject}", "best client" if standing and standing.is_fastest else "client")
    if measured is None:
        return row(subject, cell.language, rps_cell(cell), *[""] * (len(COLUMNS) - 3))
    costs = (measured.client_cpu_us_per_command, measured.server_cpu_us_per_command)
    costs_text = (f"{numbers.significant(cost)}{mark if cost else ''}" for cost, mark in zip(costs, marks, strict=True))
    if cell.shape.rate is not None:
        return row(
            subject, cell.language, rps_cell(cell), *costs_text, "", "", both_ms(measured, "p50_ms", "p99_ms"), ratio
        )
    return row(subject, cell.language, rps_cell(cell), *costs_text, ratio, cpu_ratio, "", "")


def _claimed(cell: ReportCell) -> Standing | None:
    return cell.standing if cell.standing and cell.standing.is_claimed else None


def _has_interval(cell: ReportCell) -> bool:
    return cell.comparison is not None and cell.comparison.ratio("rps").low is not None


def _fitting(uses: list[Use], own: str) -> list[Use]:
    """Return all uses, or one of each scenario if they do not fit a screen: of the suite's own workload if it has it.

    It is the shape that most clients have, or the middle one if there are several such shapes.
    """
    if sum(1 + len(table.rows) + len(table.notes) for _, table in uses) <= LINES:
        return uses
    scenarios: defaultdict[str, list[Use]] = defaultdict(list)
    for group, table in uses:
        scenarios[group[0].scenario].append((group, table))
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
    if left_out := dict.fromkeys(_label(use[0]) for use in uses if use not in shown):
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
