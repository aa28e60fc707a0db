"""Compares versions of one library that took turns in the same block: the newest with each older one."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.specs.naming import NAME
from respmark.statistics.blocks import (
    Blocks,
    CountedCell,
    CountedCells,
    Ratios,
    claimed,
    prior_of_run,
    rounds_between,
)
from respmark.statistics.compare import Ratio, confidence_of, ratio_of
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


Pair = tuple[CountedCell, CountedCell]
"""The cell of the new version, and that of the old one."""


def version_changes(blocks: Blocks, looks: int = 1, *, by_block: bool = False) -> list[VersionChange]:
    """Return the newest version of each library against each older one, in the order of the blocks.

    All ratios of all pairs are one family (Holm), because a reader of the table looks at all of them; or those of each
    block and metric are, as in other tables. `looks` is as in `comparisons_of`.
    """
    several = len({cell.workload for cells in blocks.values() for cell in cells.values()}) > 1
    pairs = [(block, pair) for block, cells in blocks.items() for pair in _pairs(cells)]
    confidence = confidence_of(looks)
    families: defaultdict[tuple[str, ...], dict[tuple[str, int], Ratio]] = defaultdict(dict)
    for (metric, number), ratio in _ratios(blocks, [pair for _, pair in pairs], confidence).items():
        families[(metric, pairs[number][0]) if by_block else ()][metric, number] = ratio
    ratios = {key: shown for family in families.values() for key, shown in claimed(family, confidence).items()}
    return [
        VersionChange(
            library=new.client.library,
            new=_loaded(new),
            old=_loaded(old),
            scenario=new.scenario,
            shape=new.shape,
            workload=new.workload if several else None,
            **{metric: ratios[metric, number] for metric in COMPARED},
        )
        for number, (_, (new, old)) in enumerate(pairs)
        if all((metric, number) in ratios for metric in COMPARED)
    ]


def _loaded(cell: CountedCell) -> LoadedClient:
    return LoadedClient(client=cell.client.name, version=cell.library_version)


def _pairs(cells: CountedCells) -> Iterator[Pair]:
    """Yield the newest version with each older one, among cells that differ in nothing else."""
    alike: defaultdict[tuple[str, ...], list[CountedCell]] = defaultdict(list)
    for cell in cells.values():
        if cell.library_version:
            alike[_all_but_version(cell)].append(cell)
    for found in alike.values():
        newest = max(found, key=_order)
        yield from ((newest, older) for older in found if _order(older) < _order(newest))


def _all_but_version(cell: CountedCell) -> tuple[str, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    match = NAME.match(cell.client.name)
    options = (match and match["options"]) or ""
    return cell.client.library, options, cell.scenario, cell.shape.model_dump_json(), cell.workload


def _order(cell: CountedCell) -> tuple[int, ...]:
    return tuple(map(int, NUMBERS.findall(cell.library_version)))


def _ratios(blocks: Blocks, pairs: Sequence[Pair], confidence: float) -> dict[tuple[str, int], Ratio]:
    """Return the ratios, by metric and number of the pair."""
    found: dict[tuple[str, int], Ratio] = {}
    for metric in COMPARED if pairs else ():
        prior = prior_of_run(blocks, metric)
        for number, (new, old) in enumerate(pairs):
            if rounds := rounds_between(new, old, metric):
                found[metric, number] = ratio_of(rounds, prior, confidence)
    return found
