"""docs/clients.md: which client in a language, and what a command costs in each, from the published runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from respmark import numbers
from respmark.contract.lines import Difference
from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell
from respmark.kinds.loops.metrics import LoopFigures
from respmark.report.columns import ratio_text
from respmark.report.header import WARNING, short_header
from respmark.report.labels import cell_label
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.table import SUBJECT, Chapter, Heading, Table, TableCell, row, style
from respmark.results.read import ReadRun
from respmark.results.records import Status
from respmark.specs.client import ClientSpec
from respmark.specs.naming import variants
from tools.clients_across import ACROSS, FLOOR, across
from tools.clients_answers import (
    CALLED,
    DEPTH,
    TRIP_MS,
    LanguageRun,
    answers,
    is_as_installed,
    leads,
    libraries_of,
    named,
)
from tools.clients_faults import when_it_goes
from tools.runs import run_list

HEAD: Final = """# Which client in this language

{languages}

For each language: which client is the fastest in what, what its defaults cost, what a network changes, and what callers
see when a server goes. In brackets are 95 % intervals; `=`, and "or" between clients: no difference is shown. `make
readme` makes this page from the files of the [runs](#the-runs); no figure was typed. `respmark run node` measures a
language on your machine.

{warnings}

"""
OTHERS: Final = {
    "Go": "Not measured: redigo.",
    "Java": "Not measured: Vert.x, Spring Data Redis (on Lettuce or Jedis).",
    "PHP": "Not measured: Relay.",
    ".NET": "Not measured: FreeRedis, ServiceStack.Redis.",
}
"""Libraries that respmark does not have, by language."""
NOWHERE: Final = "Not measured at all: clients of Ruby (redis-rb), Elixir (Redix) and C++ (redis-plus-plus).\n\n"
TITLES: Final = {"C#": ".NET"}
NOTES: Final = {
    "Rust": "`redis-rs` is its blocking API; `fred` is asynchronous, on tokio: a difference between them is also one "
    "between blocking and waiting for tasks.",
}
"""What a reader of a language must know of its table."""
LINE: Final = (
    "Clients that lead in most columns come first. Ratios are to {baseline}. Where it has no figure, absolute figures "
    "stand. `{floor}`, in the last row, is C."
)
DIFFERENCES_NOTE: Final = "docs/differences.md says why each setting is another"
READS_NOTE: Final = (
    "commands per read: how many commands of MULTI and EXEC the server found together; with few, the library writes "
    "them one by one"
)
NETWORKED: Final = (Scenario.SYNC, Scenario.BATCHING)
"""Scenarios with a column behind a round trip."""
PACKAGES: Final = {
    "phpredis": "C: the extension itself",
    "hiredis": "C: hiredis reads replies",
    "libvalkey": "C: libvalkey reads replies",
}
"""What of a client is native code, by a package that it has loaded."""


@dataclass(frozen=True)
class Comparison:
    """A figure that clients are compared by."""

    title: str
    metric: str
    """The key of its ratio."""
    written: Callable[[LoopFigures], str]


COMPARED: Final = (
    Comparison("commands per second", "rps", lambda measured: numbers.rps(measured.rps_median)),
    Comparison(
        "client CPU per command",
        "client_cpu",
        lambda measured: numbers.microseconds(measured.client_cpu_us_per_command),
    ),
)


def clients_page(
    reports: Mapping[str, Report], specs: Mapping[str, ClientSpec], network: Report, faults: Sequence[ReadRun] = ()
) -> str:
    """Return the page.

    Args:
        reports: By the run's folder, relative to the page; the first that has clients of a language is that language's.
        specs: All clients, by library.
        network: A run behind round trips.
        faults: Runs of faults, and of failovers.
    """
    every = [chapter for report in reports.values() for chapter in _languages(report, specs, network, faults)]
    chapters = {chapter.title: chapter for chapter in reversed(every)}
    within = [chapters[title] for title in sorted(chapters, key=str.lstrip)]
    head = HEAD.format(languages=_links([*chapters]), warnings=_warnings(reports.values()))
    runs = f"## The runs\n\n{run_list(reports)}\n"
    return head + markdown(within) + "\n" + NOWHERE + markdown([across(reports.values())]) + "\n" + runs


def _links(titles: Sequence[str]) -> str:
    links = [f"[{title}](#{title.lower().strip('.')})" for title in sorted(titles)]
    return " · ".join([*links, f"[{ACROSS.lower()}](#{ACROSS.lower().replace(',', '').replace(' ', '-')})"])


def _warnings(reports: Iterable[Report]) -> str:
    """Return the warnings of the runs, each once."""
    found = dict.fromkeys(f"- {WARNING}{warning}" for report in reports for warning in report.manifest.warnings)
    return "\n".join(found)


# --- a language ------------------------------------------------------------------------------------------------------


def _languages(
    report: Report, specs: Mapping[str, ClientSpec], network: Report, faults: Sequence[ReadRun]
) -> Iterator[Chapter]:
    """Yield a chapter for each language, whose clients are compared with the first of them."""
    first = {cell.language: cell.client for cell in reversed(_closed(report)) if cell.library != FLOOR}
    for language, client in first.items():
        run = LanguageRun(report, language)
        if run.cells:
            yield _language(run, client, specs, LanguageRun(network, language), faults)


def _closed(report: Report) -> list[Cell]:
    """Return the cells of closed loops."""
    return [cell for cell in report.cells if cell.shape.rate is None]


def _language(
    run: LanguageRun,
    client: str,
    specs: Mapping[str, ClientSpec],
    network: LanguageRun,
    faults: Sequence[ReadRun],
) -> Chapter:
    cells = _ordered(run, _closed(replace(run.report, baseline=client)))
    far = [one for one in _closed(replace(network.report, baseline=client)) if _has_column(one)]
    title = TITLES.get(run.language, run.language)
    more = [NOTES.get(title), *_notes(cells, specs), OTHERS.get(title), LINE.format(baseline=client, floor=FLOOR)]
    tables = tuple(_compared(one, cells, far) for one in COMPARED)
    lines = (*answers(run, network), *when_it_goes(faults, libraries_of(run)), *filter(None, more))
    return Chapter(title, lines, (*tables, _differences(cells, specs)), short_header(run.report.manifest))


def _ordered(run: LanguageRun, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a language, and C's; clients that are the fastest in most uses first, C last."""
    leaders = [one.library for lead in leads(run).values() for one in lead.leaders]
    wins, by_lead = Counter(leaders), list(dict.fromkeys(leaders))
    own = [one for one in cells if one.language == run.language or one.library == FLOOR]
    libraries = list(dict.fromkeys([*by_lead, *(one.library for one in own)]))

    def place(cell: Cell) -> tuple[bool, int, int, bool]:
        is_floor = cell.library == FLOOR
        return is_floor, -wins[cell.library], libraries.index(cell.library), not is_as_installed(cell)

    return sorted(own, key=place)


def _has_column(cell: Cell) -> bool:
    return cell.shape.rtt_ms == TRIP_MS and cell.scenario in NETWORKED and cell.shape.depth in {None, DEPTH}


def _compared(by: Comparison, cells: Sequence[Cell], far: Sequence[Cell]) -> Table:
    """Return a row a client and a column a use of it; last, what was measured behind a round trip."""
    subjects = list(dict.fromkeys(cell.client for cell in cells))
    behind = [cell for cell in far if cell.client in subjects]
    uses = list(dict.fromkeys(map(_use, sorted(cells, key=_place))))
    uses += dict.fromkeys(map(_use, behind))
    found = {(cell.client, _use(cell)): cell for cell in (*cells, *behind)}
    names = _names(cells)
    rows = tuple(
        row(TableCell(names[subject], "client"), *(_figure(by, found.get((subject, use))) for use in uses))
        for subject in subjects
    )
    return Table(by.title, (SUBJECT, *map(Heading, uses)), rows)


def _place(cell: Cell) -> int:
    return list(Scenario).index(cell.scenario)


def _names(cells: Iterable[Cell]) -> dict[str, str]:
    """Return clients with their versions, as any of their cells knows them."""
    names = {cell.client: named(cell) for cell in cells}
    return names | {cell.client: named(cell) for cell in cells if cell.library_version}


def _use(cell: Cell) -> str:
    if cell.shape.rtt_ms is not None:
        label = cell.shape.direct.label
        return "\n".join(filter(None, [f"{cell.scenario} {label}".strip(), f"behind {cell.shape.rtt_ms:g} ms"]))
    label = cell_label(cell)
    return f"{cell.scenario}\n{label}" if label else str(cell.scenario)


def _figure(by: Comparison, cell: Cell | None) -> TableCell:
    """Return the figure of a baseline, or the ratio to it; in place of a figure that is not there, its status."""
    if cell is None:
        return TableCell("")
    if cell.measured is None:
        return TableCell(cell.status, style(cell.status))
    if cell.comparison is None:
        return TableCell(by.written(cell.measured))
    return TableCell(ratio_text(cell.comparison.ratio(by.metric)) or by.written(cell.measured))


def _differences(cells: Sequence[Cell], specs: Mapping[str, ClientSpec]) -> Table:
    """Return what is different about each client as installed, and where it is not as installed."""
    reads = {cell.client: _reads(cell) for cell in cells if cell.scenario is Scenario.TRANSACTION}
    heads = ("version", "replies", "native code", "commands per read\nin transaction", "not as installed")
    columns = (SUBJECT, *(Heading(head, is_text=True) for head in heads))
    first = {cell.client: cell for cell in reversed(cells) if cell.status is Status.OK and "[" not in cell.client}
    rows = tuple(
        row(
            TableCell(named(cell), "client"),
            cell.library_version or "",
            cell.decodes_to or "",
            cell.native_core or "; ".join(_native_packages(cell)),
            reads.get(client, ""),
            ", ".join(dict.fromkeys(one.setting for one in _differs(cell, specs))),
        )
        for client, cell in reversed(first.items())
    )
    return Table("as installed", columns, rows, (DIFFERENCES_NOTE, READS_NOTE))


def _reads(cell: Cell) -> str:
    return numbers.significant(cell.measured.commands_per_read) if cell.measured else ""


def _native_packages(cell: Cell) -> Iterator[str]:
    for package, what in PACKAGES.items():
        if package in cell.versions and cell.library != FLOOR:
            yield what


def _differs(cell: Cell, specs: Mapping[str, ClientSpec]) -> Iterable[Difference]:
    """Return in what a client is not as installed; nothing of a library that this version of the suite lacks."""
    return specs[cell.library].differs if cell.library in specs else ()


def _notes(cells: Sequence[Cell], specs: Mapping[str, ClientSpec]) -> Iterator[str]:
    """Yield that a version is not today's, and which variants the run lacks."""
    libraries = [one for one in dict.fromkeys(cell.library for cell in cells) if one != FLOOR and one in specs]
    loaded = {cell.library: cell.library_version for cell in cells if cell.library_version and "@" not in cell.client}
    for library in libraries:
        if library in CALLED:
            yield f"`{library}` is {CALLED[library]}, by the name of its package."
        pinned = specs[library].version
        if pinned and loaded.get(library, pinned) != pinned:
            yield f"`{library}` was measured as {loaded[library]}; respmark measures {pinned} where it can be built."
    measured = {cell.client for cell in cells}
    today = [one.name for library in libraries for one in variants(specs[library]) if one.version is None]
    lacking = [f"`{name}`" for name in today if name not in measured]
    if lacking:
        yield f"Not in this run: {', '.join(lacking)}."
