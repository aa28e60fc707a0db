"""What a reader must know before believing the figures of a run, in few lines."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from respmark.contract.trial import Scenario
from respmark.report.header import warnings_of
from respmark.report.notes import (
    ACCOUNTS_PERCENT,
    DRIFT_PERCENT,
    OTHERS_PERCENT,
    STOLEN_PERCENT,
    WAITING_PERCENT,
    in_shape,
)
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.records import Status
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured

NAMED: Final = 3
"""How many of a kind are named; the others are counted."""


def careful(manifest: Manifest, cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield what a reader must know before believing the figures, in few lines; details are in the tables' notes."""
    if manifest.status is not RunStatus.COMPLETE:
        yield f"THIS RUN IS INCOMPLETE: {manifest.status}; rounds are missing"
    # What to do about them is said above the tables.
    yield from (warning.partition(";")[0] for warning in warnings_of(manifest))
    yield from _without_figures(cells, is_named=bool(manifest.named_clients))
    if partial := [cell for cell in cells if cell.is_partial]:
        yield f"* lost rounds or slices: {_named(partial)}"
    yield from _disturbances(cells)
    yield from _pipelining(cells)
    yield from _decoding(cells)


def _without_figures(cells: Sequence[ReportCell], *, is_named: bool) -> Iterator[str]:
    """Yield which cells have no figures, and why; every reason if the user named the clients.

    What a library cannot express is told beside its line, or in the tables.
    """
    for status in (Status.FAILED, Status.NOT_MEASURED, Status.MISSING):
        by_reason: dict[str, list[ReportCell]] = {}
        for cell in cells:
            if cell.status is status:
                by_reason.setdefault(cell.reason or "", []).append(cell)
        told = len(by_reason) if is_named else NAMED
        for reason, found in list(by_reason.items())[:told]:
            names = list(dict.fromkeys(cell.client for cell in found))
            yield f"{status}: {listed(names) if status is Status.MISSING else _named(found)}: {reason}"
        if more := list(by_reason.values())[told:]:
            yield f"{status}: {sum(map(len, more))} more for other reasons"


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
        yield f"pipelining uses one connection per command in flight: {listed(list(clients))}"


def _decoding(cells: Sequence[ReportCell]) -> Iterator[str]:
    """Yield the libraries that decode replies to another type than the client that they are compared with."""
    decodes_to = {cell.cell_id: cell.decodes_to for cell in cells}
    libraries = dict.fromkeys(
        cell.library
        for cell in cells
        if cell.comparison and {cell.decodes_to, decodes_to.get(cell.comparison.baseline)} == {"bytes", "text"}
    )
    if libraries:
        yield f"decode replies to a different type than the first client: {listed(list(libraries))}"


def _named(cells: Sequence[ReportCell]) -> str:
    return listed([f"{cell.client} {cell.scenario}{in_shape(cell)}" for cell in cells])


def listed(names: Sequence[str], comma: str = ", ") -> str:
    """Return names as text: a few of them, and how many there are besides."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return comma.join(names[:NAMED]) + more
