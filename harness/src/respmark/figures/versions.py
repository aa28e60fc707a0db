"""Versions of a library that took turns: the newest compared with each older one."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.figures.blocks import CountedCell, CountedCells
from respmark.figures.ratios import Pair, Ratios, RatioTable
from respmark.specs.naming import name_parts
from respmark.specs.versions import SortKey, VersionOrder, sort_key

NO_VERSION: Final[SortKey] = ((), False, ())


class LoadedClient(Message):
    """A client, and the loaded version of its library, as its results name it."""

    client: str
    version: str


class VersionChange(Ratios):
    """A library's new version divided by an old one, both with the same options, on the same server and so on."""

    library: str
    new: LoadedClient
    old: LoadedClient
    scenario: Scenario
    shape: Shape
    workload: str | None
    """Null if the run has only one."""
    server: str | None
    """Null if the run has only one."""


def version_changes(table: RatioTable, *, by_block: bool = False) -> list[VersionChange]:
    """Return the newest version of each library against each older one, in the order of the blocks.

    All ratios of all pairs are one family (Holm), because a reader of the table looks at all of them; or those of each
    block and metric are, as in other tables.
    """
    pairs = dict(enumerate(pair for cells in table.blocks.values() for pair in _pairs(cells)))
    ratios = table.ratios(pairs, lambda number, metric: (metric, pairs[number][0].trial.block) if by_block else ())
    trials = [cell.trial for cells in table.blocks.values() for cell in cells.values()]
    workloads, servers = {trial.workload for trial in trials}, {trial.server for trial in trials}
    return [
        VersionChange(
            library=new.trial.client.library,
            new=_loaded(new),
            old=_loaded(old),
            scenario=new.trial.scenario,
            shape=new.trial.shape,
            workload=new.trial.workload if len(workloads) > 1 else None,
            server=new.trial.server if len(servers) > 1 else None,
            **ratios[number],
        )
        for number, (new, old) in pairs.items()
        if "rps" in ratios[number]
    ]


def _loaded(cell: CountedCell) -> LoadedClient:
    return LoadedClient(client=cell.trial.client.name, version=cell.library_version)


def _pairs(cells: CountedCells) -> Iterator[Pair]:
    alike: defaultdict[tuple[object, ...], list[CountedCell]] = defaultdict(list)
    for cell in cells.values():
        if cell.library_version:
            alike[_all_but_version(cell)].append(cell)
    for found in alike.values():
        newest = max(found, key=_order)
        yield from ((newest, older) for older in found if _order(older) < _order(newest))


def _all_but_version(cell: CountedCell) -> tuple[object, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    trial = cell.trial
    place = trial.scenario, trial.shape, trial.workload, trial.server
    return trial.client.library, name_parts(trial.client.name).options, *place


def _order(cell: CountedCell) -> SortKey:
    """Return what versions are sorted by; npm's order reads the pre-releases of the other registries, too."""
    key = sort_key(cell.library_version, VersionOrder.SEMVER)
    return key if isinstance(key, tuple) else NO_VERSION
