"""Whether two runs measured the same thing: only then does it make sense to put their figures side by side."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.results.manifest import Manifest
from respmark.results.untrusted import shown
from respmark.statistics.cells import CountedRun

HIT_RATIO: Final = 0.01
"""Hit ratios that differ by more mean another mix of work for the server."""


class Difference(StrEnum):
    """What may differ between two runs that are put side by side, if the user allows it."""

    WORKLOAD = "workload"
    HIT_RATIO = "hit-ratio"
    TARGET = "target"
    SUITE = "suite"
    PLACE = "place"
    FOREIGN = "foreign"
    """One side is what another tool measured, which has no evidence."""


def differences(first: CountedRun, other: CountedRun) -> Iterator[tuple[Difference, str]]:
    """Yield what differs between two runs, with both sides in words; machines and library versions are not compared."""
    one, two = first.manifest, other.manifest
    yield from _workloads(one, two)
    if _suite(one) != _suite(two):
        yield Difference.SUITE, f"{_suite(one)} and {_suite(two)}"
    if _target(one) != _target(two):
        yield Difference.TARGET, f"{_target(one)} and {_target(two)}"
    if _place(one) != _place(two):
        yield Difference.PLACE, f"{_place(one)} and {_place(two)}"
    yield from _hit_ratios(first, other)


def check_alike(runs: Sequence[CountedRun], allowed: Collection[Difference]) -> list[str]:
    """Return the differences that are allowed, in words.

    Raises:
        InvalidRequestError: something else differs; the message names it, and the option that allows it.
    """
    found: dict[str, None] = {}
    for run in runs[1:]:
        names = f"{shown(runs[0].manifest.run_id)} and {shown(run.manifest.run_id)}"
        for difference, words in differences(runs[0], run):
            if difference not in allowed:
                message = (
                    f"{names} are not alike: {difference}: {shown(words)}; their figures say nothing about each other. "
                    f"To see them all the same: --across {difference}"
                )
                raise InvalidRequestError(message)
            found[f"{names} differ in {difference}: {words}"] = None
    return list(found)


WORK: Final = ("mix", "sizes", "preload_keys")
"""Keys of the spec that make two workloads the same work, whatever their names are."""


def same_work(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Return whether the specs of two workloads ask for the same commands, keys and values."""
    return all(one.get(key) == other.get(key) for key in WORK)


def _workloads(one: Manifest, two: Manifest) -> Iterator[tuple[Difference, str]]:
    """Yield how the suites' own workloads differ, and others that both runs have.

    A workload that only one run has is in no cell of the other, so nothing is put beside its cells.
    """
    pairs = [((one.workload["name"], one.workload_sha256), (two.workload["name"], two.workload_sha256))]
    shared = [name for name in one.other_workloads if name in two.other_workloads]
    pairs += [((name, one.other_workloads[name].sha256), (name, two.other_workloads[name].sha256)) for name in shared]
    for (name, sha256), (other, other_sha256) in pairs:
        if sha256 != other_sha256:
            words = f"{name} (seed {one.seed}, {sha256[:8]}) and {other} (seed {two.seed}, {other_sha256[:8]})"
            yield Difference.WORKLOAD, words


def _suite(manifest: Manifest) -> str:
    length = f"{manifest.slice_s:g} s slices" if manifest.slice_s else f"{manifest.measure_s or 0:g} s windows"
    return f"{manifest.suite['name']} ({manifest.laps or 1} laps of {length})"


def _target(manifest: Manifest) -> str:
    target = manifest.target
    return f"{target.version}, {'started for the run' if target.spawned else target.address}"


def _place(manifest: Manifest) -> str:
    where = "processes" if manifest.containers is None else "containers"
    return f"{where}, CPUs {manifest.placement.words}"


def _hit_ratios(first: CountedRun, other: CountedRun) -> Iterator[tuple[Difference, str]]:
    one, two = _hits(first), _hits(other)
    for cell_id in one.keys() & two.keys():
        if abs(one[cell_id] - two[cell_id]) > HIT_RATIO:
            yield Difference.HIT_RATIO, f"{one[cell_id]:.2f} and {two[cell_id]:.2f} ({cell_id})"
            return


def _hits(run: CountedRun) -> dict[str, float]:
    """Return the hit ratio of each cell that has one."""
    measured = {cell.cell_id: cell.measured for cell in run.cells}
    return {cell_id: of.hit_ratio for cell_id, of in measured.items() if of is not None and of.hit_ratio is not None}
