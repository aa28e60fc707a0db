"""Compares versions of one library that took turns in the same block: the newest with each older one."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.results.records import TrialRecord
from respmark.specs.naming import NAME
from respmark.statistics.blocks import (
    Blocks,
    CountedTrials,
    Ratios,
    Records,
    ShownRatio,
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


Pair = tuple[CountedTrials, CountedTrials]
"""The records of the new version, and those of the old one."""


def version_changes(blocks: Blocks, looks: int = 1) -> list[VersionChange]:
    """Return the newest version of each library against each older one, in the order of the blocks.

    All ratios of all pairs are one family (Holm): a reader of the table looks at all of them. `looks` is as in
    `comparisons_of`.
    """
    several = len({records[0].workload for cells in blocks.values() for records in cells.values()}) > 1
    pairs = [pair for cells in blocks.values() for pair in _pairs(cells)]
    ratios = _ratios(blocks, pairs, confidence_of(looks))
    return [
        VersionChange(
            library=new[0].client.library,
            new=_loaded(new),
            old=_loaded(old),
            scenario=new[0].scenario,
            shape=new[0].shape,
            workload=new[0].workload if several else None,
            **{metric: ratios[metric, number] for metric in COMPARED},
        )
        for number, (new, old) in enumerate(pairs)
        if all((metric, number) in ratios for metric in COMPARED)
    ]


def loaded_version(records: Sequence[TrialRecord]) -> str:
    """Return the version of its library that a cell's results name; empty if they name none."""
    versions = (result.versions.get(record.client.library) for record in records for result in record.results)
    return next(filter(None, versions), "")


def _loaded(records: Sequence[TrialRecord]) -> LoadedClient:
    return LoadedClient(client=records[0].client.name, version=loaded_version(records))


def _pairs(cells: Records) -> Iterator[Pair]:
    """Yield the newest version with each older one, among cells that differ in nothing else."""
    alike: defaultdict[tuple[str, ...], list[CountedTrials]] = defaultdict(list)
    for records in cells.values():
        if loaded_version(records):
            alike[_all_but_version(records[0])].append(records)
    for found in alike.values():
        newest = max(found, key=_order)
        yield from ((newest, older) for older in found if _order(older) < _order(newest))


def _all_but_version(record: TrialRecord) -> tuple[str, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    match = NAME.match(record.client.name)
    options = (match and match["options"]) or ""
    return record.client.library, options, record.scenario, record.shape.model_dump_json(), record.workload


def _order(records: Sequence[TrialRecord]) -> tuple[int, ...]:
    return tuple(map(int, NUMBERS.findall(loaded_version(records))))


def _ratios(blocks: Blocks, pairs: Sequence[Pair], confidence: float) -> dict[tuple[str, int], ShownRatio]:
    """Return the ratios, by metric and number of the pair."""
    found: dict[tuple[str, int], Ratio] = {}
    for metric in COMPARED if pairs else ():
        prior = prior_of_run(blocks, metric)
        for number, (new, old) in enumerate(pairs):
            if rounds := rounds_between(new, old, metric):
                found[metric, number] = ratio_of(rounds, prior, confidence)
    return claimed(found, confidence)
