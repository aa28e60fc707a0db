"""Whether two runs measured the same thing: only then does it make sense to put their figures side by side.

Other machines, servers and lengths are what runs are compared for: they are told, not refused.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from respmark.errors import InvalidRequestError
from respmark.results.manifest import Manifest
from respmark.results.store import Run

WORK: Final = ("mix", "sizes", "preload_keys", "structures", "list_length", "hash_fields")
"""Keys of the spec that make two workloads the same work, whatever their names are."""


class Difference(StrEnum):
    """What makes figures say nothing about each other; they are put side by side if the user allows it."""

    WORKLOAD = "workload"


def check_alike(runs: Sequence[Run], allowed: Collection[Difference]) -> list[str]:
    """Return in words how runs differ from the first; raises InvalidRequestError for a workload not allowed."""
    found: dict[str, None] = {}
    for run in runs[1:]:
        one, two = runs[0].manifest, run.manifest
        names = f"{one.run_id} and {two.run_id}"
        for difference in _other_work(one, two):
            if Difference.WORKLOAD not in allowed:
                raise InvalidRequestError(
                    f"{names} are not alike: workload: {difference}; their figures say nothing about each other. "
                    "To see them all the same: --across workload"
                )
            found[f"{names} differ in workload: {difference}"] = None
        found |= dict.fromkeys(f"{names} differ in {difference}" for difference in _conditions(one, two))
    return list(found)


def check_common(before: Run, after: Run) -> None:
    """Check that two runs have something to compare; raises InvalidRequestError if they have no cell in common."""
    if set(before.cell_ids).isdisjoint(after.cell_ids):
        one, two = (f"{run.manifest.run_id} (suite {run.manifest.suite['name']})" for run in (before, after))
        raise InvalidRequestError(
            f"{one} and {two} have nothing in common: no client took turns in the same block, scenario and shape in "
            "both; run one suite twice, with the same --client and --scenario"
        )


def same_work(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Return whether the specs of two workloads ask for the same commands, keys and values."""
    return not _other_keys(one, other)


def _other_keys(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return [key for key in WORK if one.get(key) != other.get(key)]


def _workloads(one: Manifest, two: Manifest) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the specs of workloads whose files differ: of the suites' own, and of others that both runs have.

    A workload that only one run has is in no cell of the other, so nothing is put beside its cells.
    """
    if one.workload_sha256 != two.workload_sha256:
        yield one.workload, two.workload
    for name in one.other_workloads.keys() & two.other_workloads.keys():
        mine, theirs = one.other_workloads[name], two.other_workloads[name]
        if mine.sha256 != theirs.sha256:
            yield mine.spec, theirs.spec


def _other_work(one: Manifest, two: Manifest) -> Iterator[str]:
    for mine, theirs in _workloads(one, two):
        if keys := _other_keys(mine, theirs):
            yield f"{mine['name']} and {theirs['name']} differ in {', '.join(keys)}"


def _conditions(one: Manifest, two: Manifest) -> Iterator[str]:
    """Yield what differs besides the work, with both sides; machines and library versions stand elsewhere."""
    if any(same_work(*both) for both in _workloads(one, two)):
        yield f"seed: {one.seed} and {two.seed}, so the commands are others of the same workload"
    for name, described in (("suite", _suite), ("target", _target), ("place", _place)):
        if described(one) != described(two):
            yield f"{name}: {described(one)} and {described(two)}"


def _suite(manifest: Manifest) -> str:
    return f"{manifest.suite['name']} ({manifest.laps} laps of {manifest.slice_s:g} s slices)"


def _target(manifest: Manifest) -> str:
    target = manifest.target
    return f"{target.version}, {'started for the run' if target.spawned else target.address}"


def _place(manifest: Manifest) -> str:
    where = "processes" if manifest.containers is None else "containers"
    return f"{where}, CPUs {manifest.placement.words}"
