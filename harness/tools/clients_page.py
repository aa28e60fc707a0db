"""docs/clients.md: which client in a language, and what a command costs in each, from the published runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from respmark import numbers
from respmark.contract.lines import Difference
from respmark.contract.trial import Scenario
from respmark.figures.cells import ReportCell
from respmark.figures.measured import Measured
from respmark.report.header import short_header
from respmark.report.notes import cell_label
from respmark.report.report import Report
from respmark.report.scenarios import ratio_text
from respmark.report.table import SUBJECT, Chapter, Column, Row, Table, TableCell, kind, row
from respmark.report.writers import markdown
from respmark.results.records import Status
from respmark.specs.client import ClientSpec
from tools.runs import run_list

FLOOR: Final = "hiredis"
"""What a command costs in C: the client that others are divided by, where a run has it."""
HEAD: Final = """# Which client in this language

The clients of each language side by side, as installed, and what a command costs the client in each language. `make
readme` makes this page from the files of the runs; no figure was typed. The runs:

{runs}

"""
LINE: Final = (
    "Each table is sorted by the first column in which a client has a figure, the best first. {baseline} is in "
    "figures, any other client divided by it, or in figures where {baseline} has none; in brackets the interval, `=`: "
    f"no difference is shown. {FLOOR}, where it stands, is what C does."
)
ACROSS: Final = "What a command costs the client, across languages"
ACROSS_LINE: Final = (
    f"Client CPU per command in `sync`, of clients as installed, and its ratio to that of {FLOOR}, in C, in the same "
    "blocks of the same run; in brackets the interval."
)
ONE_RUN: Final = (
    "a client stands in the first run that measured it; those of one run took turns, those of several did not"
)
NATIVE: Final = "native code is part of the process: its CPU is in the client's"
NO_FLOOR: Final = f"no run has {FLOOR} in `sync`: nothing says how often a client spends what C does"


@dataclass(frozen=True)
class Comparison:
    """A figure that clients are sorted by."""

    title: str
    metric: str
    """The key of its ratio."""
    written: Callable[[Measured], str]
    value: Callable[[Measured], float]
    """The better, the smaller."""


COMPARED: Final = (
    Comparison(
        "commands per second",
        "rps",
        lambda measured: numbers.rps(measured.rps_median),
        lambda measured: -measured.rps_median,
    ),
    Comparison(
        "client CPU per command",
        "client_cpu",
        lambda measured: numbers.microseconds(measured.client_cpu_us_per_command),
        lambda measured: measured.client_cpu_us_per_command or 0,
    ),
)


def clients_page(reports: Mapping[str, Report], specs: Mapping[str, ClientSpec]) -> str:
    """Return the page.

    Args:
        reports: By the run's folder, relative to the page; the first that has clients of a language is that language's.
        specs: All clients, by library.
    """
    every = [chapter for report in reports.values() for chapter in _languages(report, specs)]
    chapters = {chapter.title: chapter for chapter in reversed(every)}
    within = [chapters[title] for title in sorted(chapters)]
    return HEAD.format(runs=run_list(reports)) + markdown([_across(reports.values()), *within])


def _as_installed(report: Report) -> list[ReportCell]:
    """Return the cells of clients without options, in any version, in closed loops."""
    return [cell for cell in report.cells if "[" not in cell.client and cell.shape.rate is None]


# --- within a language -----------------------------------------------------------------------------------------------


def _languages(report: Report, specs: Mapping[str, ClientSpec]) -> Iterator[Chapter]:
    """Yield a chapter for each language with several clients, which are compared with the first of them."""
    first = {cell.language: cell.client for cell in reversed(_as_installed(report)) if cell.library != FLOOR}
    for language, client in first.items():
        cells = _as_installed(replace(report, baseline=client))
        own = [one for one in cells if one.language == language or one.library == FLOOR]
        if len({cell.subject for cell in own if cell.library != FLOOR}) > 1:
            line = LINE.format(baseline=client)
            tables = [_compared(one, own) for one in COMPARED]
            yield Chapter(language, (*short_header(report.manifest), line), (*tables, _differences(own, specs)))


def _compared(by: Comparison, cells: Sequence[ReportCell]) -> Table:
    """Return a row a client and a column a use of it, sorted by the first use in which each has a figure."""
    uses = list(dict.fromkeys(map(_use, cells)))
    found = {(cell.subject, _use(cell)): cell for cell in cells}
    subjects = list(dict.fromkeys(cell.subject for cell in cells))

    def place(subject: str) -> tuple[int, float]:
        figures = (
            (number, by.value(cell.measured))
            for number, use in enumerate(uses)
            if (cell := found.get((subject, use))) and cell.measured is not None
        )
        return next(figures, (len(uses), 0))

    rows = tuple(
        row(TableCell(subject, "client"), *(_figure(by, found.get((subject, use))) for use in uses))
        for subject in sorted(subjects, key=place)
    )
    return Table(by.title, (SUBJECT, *map(Column, uses)), rows)


def _use(cell: ReportCell) -> str:
    label = cell_label(cell)
    return f"{cell.scenario}\n{label}" if label else str(cell.scenario)


def _figure(by: Comparison, cell: ReportCell | None) -> TableCell:
    """Return the figure of a baseline, or the ratio to it; in place of a figure that is not there, its status."""
    if cell is None:
        return TableCell("")
    if cell.measured is None:
        return TableCell(cell.status, kind(cell.status))
    if cell.comparison is None:
        return TableCell(by.written(cell.measured))
    return TableCell(ratio_text(cell.comparison.ratio(by.metric)) or by.written(cell.measured))


def _differences(cells: Sequence[ReportCell], specs: Mapping[str, ClientSpec]) -> Table:
    """Return what is different about each client as installed, and where it is not as installed."""
    columns = (SUBJECT, *(Column(head, is_text=True) for head in ("replies", "native code", "not as installed")))
    first = {cell.subject: cell for cell in reversed(cells) if cell.status is Status.OK}
    rows = tuple(
        row(
            TableCell(subject, "client"),
            cell.decodes_to or "",
            cell.native_core or "",
            ", ".join(dict.fromkeys(one.setting for one in _differs(cell, specs))),
        )
        for subject, cell in reversed(first.items())
    )
    return Table("as installed", columns, rows, ("docs/differences.md says why each setting is another",))


def _differs(cell: ReportCell, specs: Mapping[str, ClientSpec]) -> Iterable[Difference]:
    """Return in what a client is not as installed; nothing of a library that this version of the suite lacks."""
    return specs[cell.library].differs if cell.library in specs else ()


# --- across languages ------------------------------------------------------------------------------------------------


def _across(reports: Iterable[Report]) -> Chapter:
    """Return a row a client of all runs, sorted by what a command costs it in `sync`."""
    found: dict[str, tuple[float, Row]] = {}
    has_floor = has_native = False
    for report in reports:
        for cell, cpu_us in _syncs(replace(report, baseline=FLOOR)):
            has_floor |= cell.library == FLOOR
            has_native |= cell.native_core is not None
            found.setdefault(cell.subject, (cpu_us, _cost(cell, cpu_us)))
    rows = tuple(one for _, one in sorted(found.values(), key=lambda one: one[0]))
    heads = ("language", "client CPU\nper command", f"times\n{FLOOR}")
    notes = [ONE_RUN, *([NATIVE] if has_native else []), *([] if has_floor else [NO_FLOOR])]
    columns = (SUBJECT, Column(heads[0], is_text=True), *map(Column, heads[1:]))
    return Chapter(ACROSS, (ACROSS_LINE,), (Table("", columns, rows),), tuple(notes))


def _syncs(report: Report) -> Iterator[tuple[ReportCell, float]]:
    for cell in _as_installed(report):
        if cell.scenario is Scenario.SYNC and cell.shape.processes == 1 and cell.measured is not None:
            cpu_us = cell.measured.client_cpu_us_per_command
            if cpu_us is not None:
                yield cell, cpu_us


def _cost(cell: ReportCell, cpu_us: float) -> Row:
    language = f"{cell.language}, core in {cell.native_core}" if cell.native_core else cell.language
    compared = cell.comparison if cell.comparison and cell.comparison.baseline_client == FLOOR else None
    times = ratio_text(compared.ratio("client_cpu")) if compared else ""
    return row(TableCell(cell.subject, "client"), language, numbers.microseconds(cpu_us), times)
