"""docs/cluster.md: its answer, and what to set on a cluster, with how long an application had no replies with it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from respmark.contract.trial import Fault
from respmark.escaping import markdown_row
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
AS_INSTALLED: Final = "nothing: as installed"
SETS: Final = {
    ("lettuce", "topology-refresh", "5s"): "`ClusterTopologyRefreshOptions.enablePeriodicRefresh`, every 5 s",
}
"""What an option of ours sets, by library, option and value."""
WHAT: Final = {
    Fault.FAILOVER_KILL: "When a primary is killed",
    Fault.FAILOVER_STOP: "When it stands still",
    Fault.FAILOVER_CUT_OFF: "When it is cut off",
    Fault.FAILOVER_PLANNED: "When it hands over",
}
SHOWN: Final = tuple(WHAT)


def sections(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each section that is made, by the name of its marks."""
    runs = [read_figures(one, FAULTS) for one in RUNS if is_run(one)]
    costs = "".join(f"- {one}\n" for one in page_answers.cluster(catalogue))
    return {"answer": f"{answer(runs)}{costs}\n", "settings": settings(catalogue, runs)}


def answer(runs: Iterable[ReadRun]) -> str:
    """Return how long clients as installed were without replies, in a sentence for each way in which a primary goes."""
    cells = [cell for run in runs for cell in cells_of(run) if cell.rounds and not _settings_of(cell)]
    by_fault = {fault: [one for one in cells if one.described.shape.fault == fault] for fault in SHOWN}
    return "".join(f"\n{line}" for line in _answers(by_fault)) + "\n"


def _answers(by_fault: Mapping[Fault, Sequence[FaultCell]]) -> Iterator[str]:
    for fault, cells in by_fault.items():
        found = [(waits, one) for one in cells if (waits := one.waits(lambda figures: figures.outage))]
        promoted = [seconds for _, one in found for seconds in map(promoted_of, one.rounds) if seconds is not None]
        if not promoted:
            continue
        ordered = sorted(found, key=lambda one: middle(one[0]).s)
        first, last = (f"{wait_text(middle(waits))} s (`{_name(one)}`)" for waits, one in (ordered[0], ordered[-1]))
        hung = [f"`{_name(one)}`" for waits, one in ordered if middle(waits).s > HUNG_S]
        longer = f" Longer than {HUNG_S} s, {len(hung)} of {len(ordered)}: {', '.join(hung)}." if hung else ""
        yield (
            f"- {WHAT[fault]}: servers took {min(promoted):.2f} to {max(promoted):.2f} s, and callers of its keys had "
            f"no reply for {first} to {last}.{longer}"
        )


def _name(cell: FaultCell) -> str:
    return cell.described.client.name


def settings(catalogue: Catalogue, runs: Iterable[ReadRun]) -> str:
    """Return a row for each client of the runs whose library has settings to compare."""
    cells = [cell for run in runs for cell in cells_of(run) if cell.rounds]
    by_client: dict[str, dict[Fault | None, FaultCell]] = {}
    for cell in cells:
        by_client.setdefault(cell.described.client.name, {})[cell.described.shape.fault] = cell
    compared = {_library(one) for found in by_client.values() for one in found.values() if _settings_of(one)}
    specs = {spec.library: spec for spec in catalogue.clients.values()}
    rows = sorted(_rows(specs, by_client, compared))
    if not rows:
        return "\nNot measured yet.\n\n"
    heads = ("client", "what is set", "rounds", *map(str, SHOWN))
    table: list[Sequence[str]] = [heads, ["---", "---", *["---:"] * (1 + len(SHOWN))], *rows]
    worse = ", ".join(_worse(by_client))
    warning = (
        f"\n**Not to be set on a cluster**: an outage that ends as installed did not end with {worse}.\n"
        if worse
        else ""
    )
    return f"{warning}\n" + "".join(f"{markdown_row(row)}\n" for row in table) + "\n"


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
    return [f"`{name}`" for names in limits.options.values() for name in names.split(", ")]


def _outage(cell: FaultCell | None) -> Wait | None:
    waits = cell.waits(lambda figures: figures.outage) if cell else []
    return middle(waits) if waits else None


def _text(cell: FaultCell | None) -> str:
    outage = _outage(cell)
    return "" if outage is None else wait_text(outage)
