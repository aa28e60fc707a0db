"""What callers see when a server goes, in sentences made from the published runs of faults."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from respmark.contract.trial import Fault
from respmark.kinds.faults.kind import wait_text
from respmark.kinds.faults.metrics import FaultCell, cells_of, middle
from respmark.kinds.faults.record import Wait
from respmark.results.read import ReadRun
from respmark.specs.faults import FAILOVERS
from tools.clients_answers import AS_INSTALLED

OUTAGES: Final = (Fault.FAILOVER_KILL, Fault.FAILOVER_STOP)
"""A primary of a cluster whose connections are closed, and one that stands still."""


def when_it_goes(runs: Iterable[ReadRun], libraries: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of a language's libraries, as installed; `runs` have faults, or failovers."""
    cells = [cell for run in runs for cell in cells_of(run) if _is_wanted(cell, libraries)]
    alone = [one for one in cells if _fault(one) not in FAILOVERS]
    if told := ", ".join(_longest(alone)):
        faults = len({_fault(one) for one in alone})
        yield f"When a server goes ({faults} faults, docs/faults.md), a command waited for up to, in seconds: {told}."
    if told := ", ".join(_outages(cells)):
        yield (
            "When a cluster's primary is killed, or stands still (docs/cluster.md), its keys had no reply for, in "
            f"seconds: {told}."
        )


def _is_wanted(cell: FaultCell, libraries: Sequence[str]) -> bool:
    client = cell.described.client
    return bool(cell.rounds and client.library in libraries and AS_INSTALLED.fullmatch(client.name))


def _longest(cells: Iterable[FaultCell]) -> Iterator[str]:
    """Yield each client with its longest wait, the shortest first; of a fault, the median of its rounds."""
    worst: dict[str, tuple[Wait, Fault | None]] = {}
    for cell in cells:
        wait = middle(cell.waits(lambda figures: figures.longest_wait))
        before = worst.setdefault(_client(cell), (wait, _fault(cell)))
        if _order(wait) > _order(before[0]):
            worst[_client(cell)] = wait, _fault(cell)
    for client, (wait, fault) in sorted(worst.items(), key=lambda one: _order(one[1][0])):
        yield f"`{client}` {wait_text(wait)} ({fault})"


def _outages(cells: Iterable[FaultCell]) -> Iterator[str]:
    """Yield each client with its outage after each way in which a primary goes, the shortest first."""
    found: dict[str, dict[Fault | None, Wait]] = {}
    for cell in cells:
        if _fault(cell) in OUTAGES and (waits := cell.waits(lambda figures: figures.outage)):
            found.setdefault(_client(cell), {})[_fault(cell)] = middle(waits)
    for client, outages in sorted(found.items(), key=lambda one: max(map(_order, one[1].values()))):
        yield f"`{client}` {' and '.join(wait_text(outages[one]) for one in OUTAGES if one in outages)}"


def _order(wait: Wait) -> tuple[float, bool]:
    return wait.s, not wait.is_over


def _client(cell: FaultCell) -> str:
    return cell.described.client.name


def _fault(cell: FaultCell) -> Fault | None:
    return cell.described.shape.fault
