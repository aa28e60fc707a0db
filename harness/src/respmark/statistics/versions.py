"""Compares versions of one library that took turns in the same block: the newest with each older one."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.specs.naming import NAME
from respmark.statistics.blocks import Blocks, CountedCell, CountedCells, Pair, Ratios, prior_of_run, ratios_of
from respmark.statistics.measured import COMPARED

NUMBERS: Final = re.compile(r"\d+")


class LoadedClient(Message):
    """A client, and the loaded version of its library, as its results name it."""

    client: str
    version: str


class VersionChange(Ratios):
    """A library's new version divided by an old one, with the same options, scenario, shape, workload and block."""

    library: str
    new: LoadedClient
    old: LoadedClient
    scenario: Scenario
    shape: Shape
    workload: str | None
    """Null if the run has only one."""


def version_changes(blocks: Blocks, looks: int = 1, *, by_block: bool = False) -> list[VersionChange]:
    """Return the newest version of each library against each older one, in the order of the blocks.

    All ratios of all pairs are one family (Holm), because a reader of the table looks at all of them; or those of each
    block and metric are, as in other tables. `looks` is as in `comparisons_of`.
    """
    pairs = dict(enumerate(pair for cells in blocks.values() for pair in _pairs(cells)))
    if not pairs:
        return []
    ratios = ratios_of(
        pairs,
        looks,
        prior=lambda metric, _: prior_of_run(blocks, metric),
        family=lambda number, metric: (metric, pairs[number][0].trial.block) if by_block else (),
    )
    several = len({cell.trial.workload for cells in blocks.values() for cell in cells.values()}) > 1
    return [
        VersionChange(
            library=new.trial.client.library,
            new=_loaded(new),
            old=_loaded(old),
            scenario=new.trial.scenario,
            shape=new.trial.shape,
            workload=new.trial.workload if several else None,
            **ratios[number],
        )
        for number, (new, old) in pairs.items()
        if len(ratios[number]) == len(COMPARED)
    ]


def _loaded(cell: CountedCell) -> LoadedClient:
    return LoadedClient(client=cell.trial.client.name, version=cell.library_version)


def _pairs(cells: CountedCells) -> Iterator[Pair]:
    alike: defaultdict[tuple[str, ...], list[CountedCell]] = defaultdict(list)
    for cell in cells.values():
        if cell.library_version:
            alike[_all_but_version(cell)].append(cell)
    for found in alike.values():
        newest = max(found, key=_order)
        yield from ((newest, older) for older in found if _order(older) < _order(newest))


def _all_but_version(cell: CountedCell) -> tuple[str, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    trial = cell.trial
    match = NAME.match(trial.client.name)
    options = (match and match["options"]) or ""
    return trial.client.library, options, trial.scenario, trial.shape.model_dump_json(), trial.workload


def _order(cell: CountedCell) -> tuple[int, ...]:
    return tuple(map(int, NUMBERS.findall(cell.library_version)))
