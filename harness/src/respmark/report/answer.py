"""The answer first: the fastest client of each language, what it costs, and what to be careful about, on one screen."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.report.guidance import in_one_line
from respmark.report.header import machine_words, warnings_of
from respmark.report.notes import (
    ACCOUNTS_PERCENT,
    DRIFT_PERCENT,
    OTHERS_PERCENT,
    STOLEN_PERCENT,
    WAITING_PERCENT,
    cell_label,
    in_shape,
)
from respmark.report.tables import Report, Sort, sorted_cells
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.records import Status
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured
from respmark.statistics.precision import precision_of

WIDE_PERCENT: Final = 5.0
"""Half width of an interval of RPS; if the median is wider, the reader is warned."""
HEADS: Final = ("language", "fastest", "RPS", "client\nCPU µs", "server\nCPU µs", "to fastest\nof all")
WORDS: Final = 2
"""How many columns are words; the others are figures."""
LINES: Final = 32
"""More lines, with the text around them, do not fit on a screen: then only some shapes are shown."""
NAMED: Final = 3
"""How many of a kind are named; the others are counted."""


@dataclass(frozen=True)
class Line:
    """One client that is among the fastest of its language."""

    client: str
    values: tuple[str, ...]
    """One per heading in `HEADS`."""
    is_fastest: bool
    """Whether it is among the fastest of all."""


@dataclass(frozen=True)
class Best:
    """The fastest clients of one scenario, shape and workload, by language."""

    scenario: str
    shape: tuple[str, ...]
    """In words, such as `depth 100` and `burst`; the workload is one of them if the run has several."""
    workload: str
    lines: tuple[Line, ...]
    clients: int
    """How many clients were measured."""

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
        return max(len(self.lines), 1 + len(self.shape))


@dataclass(frozen=True)
class Answer:
    """The summary of a run."""

    header: tuple[str, ...]
    best: tuple[Best, ...]
    legend: tuple[str, ...]
    careful: tuple[str, ...]
    advice: str | None
    """How many published claims have each verdict, in one line."""


def answer(report: Report) -> Answer:
    """Return the summary of a run."""
    measured = [best for group in _groups(report.cells) if (best := _best(group)).lines]
    shown = _fitting(measured, str(report.manifest.workload["name"]))
    return Answer(
        tuple(_header(report.manifest)),
        tuple(shown),
        tuple(_legend(report.cells, measured, shown)),
        tuple(careful(report.manifest, report.cells)),
        in_one_line(report.verdicts) if report.verdicts else None,
    )


def _header(manifest: Manifest) -> Iterator[str]:
    target, workloads = manifest.target, list(manifest.workloads)
    yield f"run {manifest.run_id}: workload {_listed(workloads)}, target {target.version}, {target.address}"
    yield f"machine {machine_words(manifest.machine)}"


def _groups(cells: Iterable[ReportCell]) -> list[list[ReportCell]]:
    """Return the cells that took turns, grouped by scenario, shape and workload."""
    found: dict[tuple[str | None, ...], list[ReportCell]] = {}
    for cell in cells:
        place = (cell.block, cell.scenario, cell.shape.model_dump_json(), cell.workload)
        found.setdefault(place, []).append(cell)
    return list(found.values())


def _fitting(measured: list[Best], own: str) -> list[Best]:
    """Return all shapes, or one of each scenario and form, or one of each scenario: whatever fits on a screen.

    If not all of them fit, those of the suite's own workload stand for the others.
    """
    with_own = {best.scenario for best in measured if best.workload == own}
    few = [best for best in measured if best.workload == own or best.scenario not in with_own]
    by_form = _typical(few, lambda best: (best.scenario, *best.form))
    by_scenario = _typical(few, lambda best: (best.scenario,))
    fits = (shown for shown in (measured, by_form) if sum(best.height for best in shown) <= LINES)
    return next(fits, by_scenario)


def _typical(measured: list[Best], kind: Callable[[Best], tuple[str, ...]]) -> list[Best]:
    """Return the shape of each kind that most clients have, or the middle one if there are several such shapes."""
    kinds: dict[tuple[str, ...], list[Best]] = {}
    for best in measured:
        kinds.setdefault(kind(best), []).append(best)
    most = [[one for one in found if one.clients == max(best.clients for best in found)] for found in kinds.values()]
    return [found[(len(found) - 1) // 2] for found in most]


def _best(group: Sequence[ReportCell]) -> Best:
    """Return the libraries that no other of their language is shown to surpass, each with its fastest variant."""
    measured = sorted_cells((cell for cell in group if cell.measured), Sort.RPS)
    of_language = [cell for cell in measured if cell.standing is None or cell.standing.is_fastest_of_language]
    claimed = {cell.library: cell for cell in reversed(of_language) if cell.standing and cell.standing.is_claimed}
    fastest = [cell for cell in of_language if claimed.get(cell.library, cell) is cell]
    languages = dict.fromkeys(cell.language for cell in fastest)
    lines = [
        _line(cell, is_tied=bool(number))
        for language in languages
        for number, cell in enumerate(cell for cell in fastest if cell.language == language)
    ]
    label = cell_label(group[0])
    shape = tuple(label.split(", ")) if label else ()
    return Best(str(group[0].scenario), shape, group[0].workload, tuple(filter(None, lines)), len(measured))


def _line(cell: ReportCell, *, is_tied: bool) -> Line | None:
    measured, standing = cell.measured, cell.standing
    if measured is None:
        return None
    values = (
        "" if is_tied else cell.language,
        f"= {cell.client}" if is_tied and standing is not None and standing.is_claimed else cell.client,
        numbers.rps(measured.rps_median) + (" *" if cell.is_partial else ""),
        numbers.significant(measured.client_cpu_us_per_command),
        numbers.significant(measured.server_cpu_us_per_command),
        _to_fastest(cell),
    )
    return Line(cell.client, values, standing is not None and standing.is_claimed and standing.is_fastest)


def _to_fastest(cell: ReportCell) -> str:
    """Return how far the client is from the fastest of all, and how sure that is."""
    standing = cell.standing
    if standing is None or not standing.is_claimed:
        return "not compared"
    tie = " =" if standing.is_tied else ""
    if cell.client == standing.leader:
        return f"fastest{tie}"
    if standing.ratio is None:
        return "not compared"
    half = standing.ratio.half_width
    sure = "" if half is None else f" ±{half * 100:.0f} %"
    return f"{numbers.ratio(standing.ratio.value)}{sure}{tie}"


def _legend(cells: Sequence[ReportCell], measured: list[Best], shown: list[Best]) -> Iterator[str]:
    if any(cell.standing and cell.standing.is_claimed for cell in cells):
        yield "=: no difference shown (all pairs, Holm). ±: half the 95 % interval. CPU: per command."
    elif shown:
        yield "No differences are claimed: intervals need at least two rounds, with clients that took turns."
    if left_out := [best.label for best in measured if best not in shown]:
        yield f"Not shown here: {_listed(left_out, '; ')}"


def careful(manifest: Manifest, cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield what a reader must know before believing the figures, in few lines; details are in the tables' notes."""
    if manifest.status is not RunStatus.COMPLETE:
        yield f"THIS RUN IS INCOMPLETE: {manifest.status}; rounds are missing"
    # What to do about them is said above the tables.
    yield from (warning.partition(";")[0] for warning in warnings_of(manifest))
    yield from _without_figures(cells)
    if partial := [cell for cell in cells if cell.is_partial]:
        yield f"* lost rounds or slices: {_named(partial)}"
    yield from _precision(cells)
    yield from _disturbances(cells)
    yield from _pipelining(cells)
    yield from _decoding(cells)


def _without_figures(cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield which cells have no figures, and why; what a library cannot express is left to the tables."""
    for status in (Status.FAILED, Status.NOT_MEASURED, Status.MISSING):
        by_reason: dict[str, list[ReportCell]] = {}
        for cell in cells:
            if cell.status is status:
                by_reason.setdefault(cell.reason or "", []).append(cell)
        for reason, found in list(by_reason.items())[:NAMED]:
            names = list(dict.fromkeys(cell.client for cell in found))
            yield f"{status}: {_listed(names) if status is Status.MISSING else _named(found)}: {reason}"
        if more := list(by_reason.values())[NAMED:]:
            yield f"{status}: {sum(map(len, more))} more for other reasons"


def _precision(cells: Sequence[ReportCell]) -> Iterator[str]:
    found = precision_of(cell.comparison for cell in cells)["rps"]
    if found.half_width_percent_median is not None and found.half_width_percent_median > WIDE_PERCENT:
        yield f"ratios of RPS are known to ±{found.half_width_percent_median:.0f} % (median): more --rounds narrow them"


Figure = Callable[[Measured], float | None]
DISTURBANCES: Final[tuple[tuple[str, float, Figure], ...]] = (
    ("hypervisor", STOLEN_PERCENT, lambda m: m.stolen_percent),
    ("others' CPU", OTHERS_PERCENT, lambda m: m.other_cpu_percent),
    ("out of turn", WAITING_PERCENT, lambda m: m.waiting_cpu_percent),
    ("drifted", DRIFT_PERCENT, lambda m: abs(m.drift_percent or 0)),
    ("CPU in doubt", ACCOUNTS_PERCENT, lambda m: abs(m.cpu_accounts_percent or 0)),
)
"""In the order of the tables' notes, which say the same in whole sentences."""


def _disturbances(cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield one line that says how many cells were disturbed, and by what."""
    words = []
    for what, limit, figure in DISTURBANCES:
        found = [cell for cell in cells if cell.measured and (figure(cell.measured) or 0) > limit]
        if found:
            words.append(f"{what} {len(found)}")
    if not_steady := sum(bool(cell.measured and cell.measured.rounds_not_steady) for cell in cells):
        words.append(f"not warm {not_steady}")
    if words:
        yield f"disturbed of {sum(cell.measured is not None for cell in cells)} cells: {', '.join(words)}"


def _pipelining(cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield the clients whose traffic is not what the scenario's name suggests."""
    clients = dict.fromkeys(
        cell.client
        for cell in cells
        if cell.scenario is Scenario.PIPELINING
        and cell.measured
        and (cell.shape.depth or 1) > 1
        and cell.measured.connections_open >= (cell.shape.depth or 1)
    )
    if clients:
        yield f"pipelining uses one connection per command in flight: {_listed(list(clients))}"


def _decoding(cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield the libraries that decode replies to another type than the client that they are compared with."""
    decodes_to = {cell.cell_id: cell.decodes_to for cell in cells}
    libraries = dict.fromkeys(
        cell.library
        for cell in cells
        if cell.comparison and {cell.decodes_to, decodes_to.get(cell.comparison.baseline)} == {"bytes", "text"}
    )
    if libraries:
        yield f"decode replies to a different type than the first client: {_listed(list(libraries))}"


def _named(cells: Sequence[ReportCell]) -> str:
    return _listed([f"{cell.client} {cell.scenario}{in_shape(cell)}" for cell in cells])


def _listed(names: Sequence[str], comma: str = ", ") -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return comma.join(names[:NAMED]) + more
