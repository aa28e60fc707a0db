"""Two runs side by side: whether they measured the same thing, and what changed.

Runs may differ in machine, server and length; the report lists the differences. Another workload is refused.

Two runs are minutes apart, or on different machines. What disturbed one did not disturb the other, so a ratio of their
figures has no interval. A client's ratio to its control can have one: the control is another client that took turns
with it in both runs and is the same in both. If that ratio differs between the runs, the client itself has changed.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.figures.blocks import CountedCells
from respmark.figures.cells import CountedRun, ReportCell, cells_of
from respmark.figures.compare import CONFIDENCE, Estimate, Ratio, change_of, with_claims
from respmark.figures.measured import COMPARED
from respmark.results.manifest import Manifest
from respmark.results.run import Run
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


def check_alike(runs: Sequence[Run], allowed: Collection[Across]) -> list[str]:
    """Return how runs differ from the first; raises InvalidRequestError for another workload that is not allowed."""
    found: dict[str, None] = {}
    for run in runs[1:]:
        one, two = runs[0].manifest, run.manifest
        names = f"{one.run_id} and {two.run_id}"
        for difference in _other_work(one, two):
            if Across.WORKLOAD not in allowed:
                raise InvalidRequestError(
                    f"{names} have different workloads, so their figures cannot be compared: {difference}. To show "
                    "them anyway: --across workload"
                )
            found[f"{names} differ in workload: {difference}"] = None
        found |= dict.fromkeys(f"{names} differ in {difference}" for difference in _conditions(one, two))
    return list(found)


def check_common(before: Run, after: Run) -> None:
    """Check that two runs have something to compare; raises InvalidRequestError if they have no cell in common."""
    if set(before.cell_ids).isdisjoint(after.cell_ids):
        one, two = (f"{run.manifest.run_id} (suite {run.manifest.suite['name']})" for run in (before, after))
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
    target = manifest.servers[manifest.first_server]
    where = "processes" if manifest.containers is None else "containers"
    return {
        "suite": f"{manifest.suite['name']} ({manifest.laps} laps of {manifest.slice_s:g} s slices)",
        "processes": PROCESSES[manifest.processes],
        "target": f"{target.version}, {'started for the run' if target.spawned else target.address}",
        "place": f"{where}, CPUs {manifest.placement.words}",
    }


class Change(Message):
    """One cell in two runs."""

    cell_id: str
    scenario: Scenario
    shape: Shape
    client: str
    before: ReportCell
    after: ReportCell
    ratios: dict[str, float]
    """The second run's figures divided by the first's, by metric (`rps`, `client_cpu`, `server_cpu`); without
    intervals."""
    control: str | None
    """The client that is the same in both runs; null if there is none, and for the control itself."""
    through_control: dict[str, Ratio]
    """The factor by which the ratio to the control changed, with its interval, by metric; empty without a control."""


class Changes(Message):
    """Two runs side by side."""

    changes: list[Change]
    only_before: list[str]
    """Cells that only the first run has."""
    only_after: list[str]


def changes_between(before: CountedRun, after: CountedRun, control: str | None = None) -> Changes:
    """Return what changed; `control` is a client, by default each block's first whose versions are the same in both."""
    one, two = ({cell.cell_id: cell for cell in cells_of(run)} for run in (before, after))
    controls = controls_between(before, after, control)
    through = {metric: _through(before, after, controls, metric) for metric in COMPARED}
    return Changes(
        changes=[
            _change(
                one[cell_id],
                two[cell_id],
                one[controls[cell_id]].client if cell_id in controls else None,
                {metric: ratios[cell_id] for metric, ratios in through.items() if cell_id in ratios},
            )
            for cell_id in one
            if cell_id in two
        ],
        only_before=[cell_id for cell_id in one if cell_id not in two],
        only_after=[cell_id for cell_id in two if cell_id not in one],
    )


def controls_between(before: CountedRun, after: CountedRun, control: str | None = None) -> dict[str, str]:
    """Return the cell that each cell is compared through, where there is one; see `changes_between`."""
    return {
        cell_id: found
        for block, cells in before.blocks.items()
        if (found := _control(cells, after.blocks.get(block, {}), control)) is not None
        for cell_id in cells
        if cell_id != found
    }


def _control(before: CountedCells, after: CountedCells, client: str | None) -> str | None:
    both = [cell_id for cell_id in before if cell_id in after]
    if client is not None:
        return next((cell_id for cell_id in both if before[cell_id].trial.client.name == client), None)
    versions = ((cell_id, before[cell_id].trial.versions, after[cell_id].trial.versions) for cell_id in both)
    return next((cell_id for cell_id, one, two in versions if one and one == two), None)


def _through(before: CountedRun, after: CountedRun, controls: Mapping[str, str], metric: str) -> dict[str, Ratio]:
    """Return the factor by which each cell's ratio to its control changed; those with one control are a family."""
    changes = change_estimates(before, after, controls, metric)
    return with_claims({cell_id: one.ratio(CONFIDENCE) for cell_id, one in changes.items()}, controls.__getitem__)


def change_estimates(
    before: CountedRun, after: CountedRun, controls: Mapping[str, str], metric: str
) -> dict[str, Estimate]:
    """Return the factor by which each cell's ratio to its control changed, of cells that have an error in both runs."""
    one, two = (_to_controls(run, controls, metric) for run in (before, after))
    return {cell_id: change_of(one[cell_id], two[cell_id]) for cell_id in one if cell_id in two}


def _to_controls(run: CountedRun, controls: Mapping[str, str], metric: str) -> dict[str, Estimate]:
    pairs = {
        cell_id: (cell, cells[controls[cell_id]])
        for cells in run.blocks.values()
        for cell_id, cell in cells.items()
        if controls.get(cell_id) in cells
    }
    found = {cell_id: run.ratios.estimate(pair, metric) for cell_id, pair in pairs.items()}
    return {cell_id: estimate for cell_id, estimate in found.items() if estimate is not None}


def _change(before: ReportCell, after: ReportCell, control: str | None, through: dict[str, Ratio]) -> Change:
    one, two = before.measured, after.measured
    return Change(
        cell_id=before.cell_id,
        scenario=before.scenario,
        shape=before.shape,
        client=before.client,
        before=before,
        after=after,
        ratios={
            key: getattr(two, metric) / figure
            for key, (metric, _) in COMPARED.items()
            if one and two and (figure := getattr(one, metric))
        },
        control=control,
        through_control=through,
    )
