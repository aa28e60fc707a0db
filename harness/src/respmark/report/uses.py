"""The lines of the answer: for each scenario, shape and workload, the clients that took turns in it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from respmark import numbers
from respmark.report.notes import cell_label
from respmark.report.tables import Column, Sort, ratio_words, sorted_cells
from respmark.report.versions import versions_sentence
from respmark.results.records import Status
from respmark.statistics.blocks import ShownRatio
from respmark.statistics.cells import ReportCell
from respmark.statistics.versions import VersionChange

COLUMNS: Final = (
    Column("language", is_extra=True),
    Column("RPS"),
    Column("client\nCPU µs"),
    Column("server\nCPU µs"),
    Column("RPS ratio"),
    Column("client CPU ratio", is_extra=True),
)
WORDS: Final = 1
"""How many columns are words; the others are figures."""
FEW: Final = 6
"""Up to so many clients each have their line, whoever chose them."""
BASELINE: Final = "baseline"
TIED: Final = "= "
NOT_COMPARED: Final = "not compared"


class Choice(Enum):
    """Who chose the clients, and so what the answer owes them."""

    SUITE = auto()
    """The suite: of many clients, the best of each language have lines."""
    VARIANTS = auto()
    """The suite, which compares each library with itself: every client has its line."""
    NAMED = auto()
    """The user: every client has its line, also where it has no figures."""


@dataclass(frozen=True)
class Line:
    """One client in one use."""

    client: str
    mark: str
    """What stands before its name: `= ` if no difference is shown from the line above, of the same language."""
    values: tuple[str, ...]
    """One per column in `COLUMNS`."""
    status: Status
    is_fastest: bool
    """Whether no client is shown to be faster."""


@dataclass(frozen=True)
class Use:
    """One scenario in one shape, of one workload."""

    scenario: str
    shape: tuple[str, ...]
    """In words, such as `depth 100` and `burst`; the workload is one of them if the run has several."""
    workload: str
    note: str
    """Which clients have lines, or what they are compared with; empty if that can be seen."""
    lines: tuple[Line, ...]
    sentences: tuple[str, ...]
    """What else is to be said: new versions against old ones, and why clients have no figures."""
    measured: int
    """How many clients have figures."""

    @property
    def label(self) -> str:
        """Return scenario and shape."""
        return ", ".join((self.scenario, *self.shape))

    @property
    def form(self) -> tuple[str, ...]:
        """Return the shape's words that have no digits."""
        return tuple(word for word in self.shape if not any(map(str.isdigit, word)))

    @property
    def height(self) -> int:
        """Return how many lines of a terminal it takes."""
        return 1 + len(self.lines) + len(self.sentences)


def uses_of(cells: Sequence[ReportCell], changes: Iterable[VersionChange], chosen: Choice) -> list[Use]:
    """Return the uses of a run that have lines, in the order of its cells."""
    by_id = {cell.cell_id: cell for cell in cells}
    baselines = {found: by_id[found] for cell in cells if cell.comparison and (found := cell.comparison.baseline)}
    changes = list(changes)
    uses = (
        _best_of_each_language(group)
        if chosen is Choice.SUITE and sum(cell.measured is not None for cell in group) > FEW
        else _every_client(group, baselines, changes, chosen)
        for group in _groups(cells)
    )
    return [use for use in uses if use.lines]


def _every_client(
    group: Sequence[ReportCell], baselines: Mapping[str, ReportCell], changes: Iterable[VersionChange], chosen: Choice
) -> Use:
    shown = _ordered(group, chosen)
    lines = [_line(cell, _to_baseline(cell, baselines)) for cell in shown]
    return _use(group, _against(group, baselines), lines, _sentences(shown, changes))


def _best_of_each_language(group: Sequence[ReportCell]) -> Use:
    return _use(group, "best of each language", _best(group))


def _use(group: Sequence[ReportCell], note: str, lines: Iterable[Line], sentences: Iterable[str] = ()) -> Use:
    first, label = group[0], cell_label(group[0])
    shape = tuple(label.split(", ")) if label else ()
    measured = sum(cell.measured is not None for cell in group)
    return Use(str(first.scenario), shape, first.workload, note, tuple(lines), tuple(sentences), measured)


def _groups(cells: Iterable[ReportCell]) -> list[list[ReportCell]]:
    """Return the cells that took turns, grouped by scenario, shape and workload."""
    found: dict[tuple[str | None, ...], list[ReportCell]] = {}
    for cell in cells:
        place = (cell.block, cell.scenario, cell.shape.model_dump_json(), cell.workload)
        found.setdefault(place, []).append(cell)
    return list(found.values())


def _ordered(group: Sequence[ReportCell], chosen: Choice) -> list[ReportCell]:
    """Return the cells that have lines: the fastest first, unless the user or the suite has put them in order."""
    if chosen is Choice.NAMED:
        return list(group)
    tried = [cell for cell in group if cell.status not in {Status.UNSUPPORTED, Status.MISSING}]
    return tried if chosen is Choice.VARIANTS else sorted_cells(tried, Sort.RPS)


def _against(group: Sequence[ReportCell], baselines: Mapping[str, ReportCell]) -> str:
    """Return what the clients of a use are compared with, if that is in another use."""
    found = [baselines[cell.comparison.baseline] for cell in group if cell.comparison]
    others = dict.fromkeys(_place(one) for one in found if one not in group)
    return f"ratios to {' and '.join(others)}" if others else ""


def _place(cell: ReportCell) -> str:
    return ", ".join(filter(None, (f"{cell.client} {cell.scenario}", cell_label(cell))))


def _sentences(shown: Sequence[ReportCell], changes: Iterable[VersionChange]) -> Iterator[str]:
    """Yield how a library's versions differ in this use, and why clients that have a line cannot be measured."""
    places = {(cell.client, cell.scenario, cell.shape, cell.workload) for cell in shown}
    for change in changes:
        workload = change.workload or shown[0].workload
        both = {(one.client, change.scenario, change.shape, workload) for one in (change.new, change.old)}
        if both <= places:
            yield versions_sentence(change)
    for cell in shown:
        if cell.status is Status.UNSUPPORTED:
            yield f"{cell.client} is unsupported: {cell.reason}"


def _best(group: Sequence[ReportCell]) -> list[Line]:
    """Return the libraries that no other of their language is shown to surpass, each with its fastest variant."""
    measured = sorted_cells((cell for cell in group if cell.measured), Sort.RPS)
    of_language = [cell for cell in measured if cell.standing is None or cell.standing.is_fastest_of_language]
    claimed = {cell.library: cell for cell in reversed(of_language) if _is_claimed(cell)}
    fastest = [cell for cell in of_language if claimed.get(cell.library, cell) is cell]
    languages = dict.fromkeys(cell.language for cell in fastest)
    return [
        _line(cell, _figures(cell, _to_fastest(cell)), TIED if number and _is_claimed(cell) else "")
        for language in languages
        for number, cell in enumerate(cell for cell in fastest if cell.language == language)
    ]


def _line(cell: ReportCell, figures: tuple[str, ...], mark: str = "") -> Line:
    is_fastest = cell.standing is not None and cell.standing.is_claimed and cell.standing.is_fastest
    return Line(cell.client, mark, (cell.language, *figures), cell.status, is_fastest)


def _is_claimed(cell: ReportCell) -> bool:
    return cell.standing is not None and cell.standing.is_claimed


def _figures(
    cell: ReportCell, rps_ratio: str, cpu_ratio: str = "", marks: tuple[str, str] = ("", "")
) -> tuple[str, ...]:
    """Return what the columns of figures say; `marks` follow the costs."""
    measured = cell.measured
    if measured is None:
        return (str(cell.status), "", "", "", "")
    client, server = marks
    return (
        numbers.rps(measured.rps_median) + (" *" if cell.is_partial else ""),
        numbers.significant(measured.client_cpu_us_per_command) + client,
        numbers.significant(measured.server_cpu_us_per_command) + server,
        rps_ratio,
        cpu_ratio,
    )


def _to_baseline(cell: ReportCell, baselines: Collection[str]) -> tuple[str, ...]:
    """Return a cell's figures, compared with the baseline; costs are marked if no difference is shown."""
    if cell.comparison is None:
        return _figures(cell, BASELINE if cell.cell_id in baselines else NOT_COMPARED)
    rps, client, server = (cell.comparison.ratio(metric) for metric in ("rps", "client_cpu", "server_cpu"))
    return _figures(cell, ratio_words(rps), ratio_words(client), (_mark(client), _mark(server)))


def _mark(ratio: ShownRatio) -> str:
    return "" if ratio.low is None or ratio.shown else " ="


def _to_fastest(cell: ReportCell) -> str:
    """Return how far the client is from the fastest of all, and how sure that is."""
    standing = cell.standing
    if standing is None or not standing.is_claimed:
        return NOT_COMPARED
    if cell.client == standing.leader:
        return "fastest =" if standing.is_tied else "fastest"
    return NOT_COMPARED if standing.ratio is None else ratio_words(standing.ratio)
