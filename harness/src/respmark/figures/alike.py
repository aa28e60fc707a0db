"""Whether runs measured the same thing, so that they may be compared.

They may differ in machine, server and length; the report lists the differences. Another workload is refused.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from respmark.errors import InvalidRequestError
from respmark.results.manifest import Manifest
from respmark.results.read import ReadRun
from respmark.workload.spec import WorkloadSpec

WORK: Final = (
    *("mix", "sizes", "preload_keys", "structures", "list_length", "hash_fields", "set_members", "subscribers"),
    "elements_per_second",
    "beside",
)
"""Keys of the spec that make two workloads the same work, whatever their names are."""


PROCESSES: Final = {"block": "fresh ones for each block", "round": "the same for all blocks of a round"}
"""What a manifest says of processes, in words."""


class Across(StrEnum):
    """What runs must have in common to be compared, unless the user allows otherwise."""

    WORKLOAD = "workload"


def check_alike(runs: Sequence[ReadRun], allowed: Collection[Across], advice: str = "") -> list[str]:
    """Return how runs differ from the first; raises InvalidRequestError for another workload that is not allowed.

    `advice`: what the user can do about that.
    """
    found: dict[str, None] = {}
    for run in runs[1:]:
        one, two = runs[0].manifest, run.manifest
        names = f"{one.run_id} and {two.run_id}"
        for difference in _other_work(one, two):
            if Across.WORKLOAD not in allowed:
                raise InvalidRequestError(
                    f"{names} have different workloads, so their figures cannot be compared: {difference}{advice}"
                )
            found[f"{names} differ in workload: {difference}"] = None
        found |= dict.fromkeys(f"{names} differ in {difference}" for difference in _conditions(one, two))
    return list(found)


def check_common(before: Sequence[ReadRun], after: Sequence[ReadRun]) -> None:
    """Check that two runs have something to compare; raises InvalidRequestError if they have no cell in common.

    Each is given by kind of trial.
    """
    both = before, after
    mine, theirs = ({cell_id for run in runs for cell_id in run.cell_ids} for runs in both)
    if mine.isdisjoint(theirs):
        one, two = (f"{runs[0].manifest.run_id} (suite {runs[0].manifest.suite['name']})" for runs in both)
        raise InvalidRequestError(
            f"{one} and {two} have no client in the same block, scenario and shape; run one suite twice, with the same "
            "--client and --scenario"
        )


def same_work(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Return whether the specs of two workloads ask for the same commands, keys and values."""
    return not _other_keys(one, other)


def _other_keys(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return [key for key in WORK if _value(one, key) != _value(other, key)]


def _value(spec: Mapping[str, Any], key: str) -> object:
    """Return a key's value; a workload that was described before there was the key has its default."""
    return spec.get(key, WorkloadSpec.model_fields[key].default)


def _workloads(one: Manifest, two: Manifest) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the specs of workloads whose files differ: of the suites' own, and of others that both runs have.

    A workload that only one run has is in no cell of the other, so nothing is put beside its cells.
    """
    alike = sorted(one.workloads.keys() & two.workloads.keys())
    pairs = dict.fromkeys([(one.first_workload, two.first_workload), *((name, name) for name in alike)])
    for mine, theirs in ((one.workloads[name], two.workloads[other]) for name, other in pairs):
        if mine.sha256 != theirs.sha256:
            yield mine.spec, theirs.spec


def _other_work(one: Manifest, two: Manifest) -> Iterator[str]:
    for mine, theirs in _workloads(one, two):
        if keys := _other_keys(mine, theirs):
            yield f"{mine['name']} and {theirs['name']} differ in {', '.join(keys)}"


def _conditions(one: Manifest, two: Manifest) -> Iterator[str]:
    """Yield what else differs, with both sides; the report shows machines and library versions elsewhere."""
    if any(same_work(*both) for both in _workloads(one, two)):
        yield f"seed: {one.seed} and {two.seed}, so they sent different commands of the same workload"
    mine, theirs = _described(one), _described(two)
    yield from (f"{name}: {mine[name]} and {theirs[name]}" for name in mine if mine[name] != theirs[name])


def _described(manifest: Manifest) -> dict[str, str]:
    server = manifest.servers[manifest.first_server]
    where = "processes" if manifest.containers is None else "containers"
    return {
        "suite": f"{manifest.suite['name']} ({manifest.laps} laps of {manifest.slice_s:g} s slices)",
        "processes": PROCESSES[manifest.processes],
        "server": f"{server.version}, {'started for the run' if server.spawned else server.address}",
        "place": f"{where}, CPUs {manifest.placement.words}",
    }
