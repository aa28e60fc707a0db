"""docs/cluster.md: its answer, and what to set on a cluster, with how long an application had no replies with it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from respmark.contract.trial import Fault
from respmark.escaping import markdown_table
from respmark.figures.cells import read_figures
from respmark.kinds.faults.kind import FAULTS, wait_text
from respmark.kinds.faults.metrics import FaultCell, cells_of, middle, promoted_of
from respmark.kinds.faults.record import Wait
from respmark.paths import CHECKOUT
from respmark.results.read import ReadRun
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import CLUSTER, ClientSpec
from respmark.specs.limits import LIMITS, LimitsSpec
from respmark.specs.names import name_parts
from tools import page_answers
from tools.faults_page import HUNG_S
from tools.published import is_run

PAGE: Final[Path] = CHECKOUT / "docs" / "cluster.md"
FOLDERS: Final = "failover", "failover-limits", "failover-1s"
RUNS: Final = tuple(CHECKOUT / "results" / "published" / name for name in FOLDERS)
SENTINELS: Final = CHECKOUT / "results" / "published" / "failover-sentinels"
AS_INSTALLED: Final = "nothing: as installed"
SETS: Final = {
    ("lettuce", "topology-refresh", "5s"): "`ClusterTopologyRefreshOptions.enablePeriodicRefresh`, every 5 s",
}
"""What an option of ours sets, by library, option and value."""
WHAT: Final = {
    Fault.FAILOVER_KILL: "is killed",
    Fault.FAILOVER_STOP: "stands still",
    Fault.FAILOVER_CUT_OFF: "is cut off",
    Fault.FAILOVER_PLANNED: "hands over",
}
SHOWN: Final = tuple(WHAT)


@dataclass(frozen=True)
class Gone:
    """What clients as installed saw of one way in which a primary goes."""

    fault: Fault
    took: str
    """The shortest and the longest time that the servers took, in seconds."""
    ends: str
    """The shortest and the longest outage, each with its client."""
    hung: Sequence[str]
    clients: int

    @classmethod
    def of(cls, fault: Fault, cells: Sequence[FaultCell]) -> Self | None:
        """Return what was seen of a fault; None if it was not measured."""
        found = [(waits, one) for one in cells if (waits := one.waits(lambda figures: figures.outage))]
        promoted = [seconds for _, one in found for seconds in map(promoted_of, one.rounds) if seconds is not None]
        if not promoted:
            return None
        ordered = sorted(found, key=lambda one: middle(one[0]).s)
        first, last = (f"{wait_text(middle(waits))} (`{_name(one)}`)" for waits, one in (ordered[0], ordered[-1]))
        hung = [_name(one) for waits, one in ordered if middle(waits).s > HUNG_S]
        return cls(fault, f"{min(promoted):.2f} to {max(promoted):.2f}", f"{first} to {last}", hung, len(ordered))

    @property
    def row(self) -> tuple[str, ...]:
        """The row of the table."""
        return WHAT[self.fault], self.took, self.ends, ", ".join(f"`{one}`" for one in self.hung)


def sections(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each section that is made, by the name of its marks."""
    runs = [read_figures(one, FAULTS) for one in RUNS if is_run(one)]
    watched = [read_figures(SENTINELS, FAULTS)] if is_run(SENTINELS) else []
    blocks = [*answer(runs, watched), *page_answers.cluster(catalogue)]
    return {
        "answer": "\n" + "".join(f"{one}\n" for one in blocks),
        "sentinels": "\n" + "".join(f"{one}\n" for run in watched for one in sentinels(run)),
        "settings": settings(catalogue, runs),
    }


def answer(runs: Iterable[ReadRun], watched: Iterable[ReadRun]) -> Iterator[str]:
    """Yield sentences and a table: how long clients as installed had no replies, by how a primary goes.

    `watched` are runs behind sentinels.
    """
    if gone := _gone(runs):
        yield (
            f"Of the libraries as installed, so many had no reply for longer than {HUNG_S} s for the keys of a primary "
            f"that its replica replaces: {_counts(gone)}. In seconds:\n"
        )
        head = "a primary", "servers took", "no reply for", f"longer than {HUNG_S} s"
        yield markdown_table(head, [one.row for one in gone])
    if gone := _gone(watched):
        yield f"[Behind sentinels](#behind-sentinels), so many had: {_counts(gone)}.\n"


def _gone(runs: Iterable[ReadRun]) -> list[Gone]:
    cells = [cell for run in runs for cell in cells_of(run) if cell.rounds and not _settings_of(cell)]
    by_fault = {fault: [one for one in cells if one.described.shape.fault == fault] for fault in SHOWN}
    return [one for fault, found in by_fault.items() if (one := Gone.of(fault, found)) is not None]


def _counts(gone: Iterable[Gone]) -> str:
    return ", ".join(f"{len(one.hung)} of {one.clients} where it {WHAT[one.fault]}" for one in gone)


def sentinels(run: ReadRun) -> Iterator[str]:
    """Yield what a run behind sentinels shows: the servers' share, and a row for each client."""
    gone = _gone([run])
    took = "; ".join(f"{one.took} s where it {WHAT[one.fault]}" for one in gone)
    yield (
        f"`{run.manifest.first_server}`: how long no caller had a reply, in seconds, the median of the rounds, and how "
        f"many acknowledged writes were not there in the end, in the worst round. Until a replica was the primary, and "
        f"a sentinel told clients so: {took}.\n"
    )
    faults = [one.fault for one in gone]
    head = "", *(f"{what} {fault}" for fault in faults for what in ("no reply:", "lost:"))
    rows = [
        (f"`{name}`", *(text for fault in faults for text in (_text(found.get(fault)), _lost(found.get(fault)))))
        for name, found in sorted(_by_client([run]).items())
    ]
    yield markdown_table(head, rows)


def _lost(cell: FaultCell | None) -> str:
    lost = None if cell is None else cell.most(lambda figures: figures.writes.lost)
    return "" if lost is None else str(lost)


def _name(cell: FaultCell) -> str:
    return cell.described.client.name


def settings(catalogue: Catalogue, runs: Iterable[ReadRun]) -> str:
    """Return a row for each client of the runs whose library has settings to compare."""
    by_client = _by_client(runs)
    compared = {_library(one) for found in by_client.values() for one in found.values() if _settings_of(one)}
    specs = {spec.library: spec for spec in catalogue.clients.values()}
    rows = sorted(_rows(specs, by_client, compared))
    if not rows:
        return "\nNot measured yet.\n\n"
    heads = ("client", "what is set", "rounds", *map(str, SHOWN))
    worse = ", ".join(_worse(by_client))
    warning = (
        f"\n**Not to be set on a cluster**: an outage that ends as installed did not end with {worse}.\n"
        if worse
        else ""
    )
    return f"{warning}\n{markdown_table(heads, rows, numbers=1 + len(SHOWN))}\n"


def _by_client(runs: Iterable[ReadRun]) -> dict[str, dict[Fault | None, FaultCell]]:
    found: dict[str, dict[Fault | None, FaultCell]] = {}
    for cell in (one for run in runs for one in cells_of(run) if one.rounds):
        found.setdefault(_name(cell), {})[cell.described.shape.fault] = cell
    return found


def _worse(by_client: Mapping[str, Mapping[Fault | None, FaultCell]]) -> Iterator[str]:
    """Yield the clients whose settings make an outage of `HUNG_S` of a shorter one, and where they do."""
    for name, found in by_client.items():
        installed = by_client.get(_library(next(iter(found.values()))), {})
        hung = [one for one in SHOWN if _hangs(found.get(one)) and _hangs(installed.get(one)) is False]
        if hung:
            yield f"`{name}` ({', '.join(hung)})"


def _hangs(cell: FaultCell | None) -> bool | None:
    """Return whether an outage is longer than `HUNG_S`; None if it was not measured."""
    outage = _outage(cell)
    return None if outage is None else outage.s > HUNG_S


def _rows(
    specs: Mapping[str, ClientSpec], by_client: dict[str, dict[Fault | None, FaultCell]], compared: set[str]
) -> Iterator[tuple[str, ...]]:
    for name, found in by_client.items():
        first = next(iter(found.values()))
        library = _library(first)
        if library in compared and library in specs:
            told = _told(specs[library], first)
            rounds = max(len(cell.rounds) for cell in found.values())
            yield f"`{name}`", told or AS_INSTALLED, str(rounds), *(_text(found.get(fault)) for fault in SHOWN)


def _library(cell: FaultCell) -> str:
    return cell.described.client.library


def _settings_of(cell: FaultCell) -> Mapping[str, str]:
    """Return the options that are in a client's name."""
    return name_parts(cell.described.client.name).values


def _told(spec: ClientSpec, cell: FaultCell) -> str:
    chosen = _settings_of(cell)
    row = next((row for value, row in spec.limits.items() if value == chosen.get(LIMITS)), None)
    told = _names(row.at.get(CLUSTER, row)) if row else []
    return ", ".join([*told, *(SETS[key] for key in ((spec.library, *one) for one in chosen.items()) if key in SETS)])


def _names(limits: LimitsSpec) -> list[str]:
    names = (name for names in limits.options.values() for name in names.split(", "))
    return [f"`{name}`" for name in dict.fromkeys(names)]


def _outage(cell: FaultCell | None) -> Wait | None:
    waits = cell.waits(lambda figures: figures.outage) if cell else []
    return middle(waits) if waits else None


def _text(cell: FaultCell | None) -> str:
    outage = _outage(cell)
    return "" if outage is None else wait_text(outage)
