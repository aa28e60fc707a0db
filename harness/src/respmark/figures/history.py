"""Many runs over time: each client by its ratio to a control that took turns with it, and the steps of that ratio.

Figures of different runs have no interval between them, so they stand beside each other and are not compared. A step is
what `compare` would claim: the ratio to the control differs between a run and the one before it on the same machine.
All steps of a history are one family (Holm).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.figures.blocks import CountedCell
from respmark.figures.cells import CountedRun, ReportCell
from respmark.figures.compare import CONFIDENCE, Estimate, Ratio, change_of, with_claims

SeriesKey = tuple[str, str, str, str, str]
"""Client, scenario, shape as JSON, workload and server."""


class Point(Message):
    """A client in one run of a history."""

    run_id: str
    started_at: datetime
    machine: str
    """What distinguishes the machine from others: processors, memory, system."""
    processes: str
    """How long a client's processes lived, as in the manifest: `block` or `round`."""
    server: str
    """The server's version."""
    library_version: str | None
    rps: float
    """Never to be compared with that of another machine."""
    control_rps: float
    ratio: Ratio
    """The client's figure divided by the control's; without an interval if there was one round."""
    step: Ratio | None = None
    """The factor by which that ratio differs from the one of the run before on the same machine; null if there is none,
    or one of them has no interval."""


class Series(Message):
    """A client in one scenario, shape, workload and server, run by run."""

    client: str
    scenario: Scenario
    shape: Shape
    workload: str
    server: str
    points: list[Point]


class History(Message):
    """Runs in the order in which they were begun."""

    control: str
    metric: str
    series: list[Series]


@dataclass(frozen=True)
class _Found:
    """A cell of a run, its control's, and their estimate."""

    run: CountedRun
    cell: ReportCell
    control: ReportCell
    ratio: Ratio
    estimate: Estimate | None


def history_of(runs: Sequence[CountedRun], metric: str, control: str | None = None) -> History:
    """Return the history of all clients but the control; by default, the first whose versions are the same in all runs.

    Raises InvalidRequestError if there is no such client.
    """
    ordered = sorted(runs, key=lambda run: run.manifest.started_at)
    name = control or _control(ordered)
    known = dict.fromkeys(cell.client for run in ordered for cell in run.cells)
    if name not in known:
        raise InvalidRequestError(f"--control {name}: no such client in these runs; there are: {', '.join(known)}")
    found: dict[SeriesKey, list[_Found]] = {}
    for run in ordered:
        for one in _beside(run, name, metric):
            found.setdefault(_key(one.cell), []).append(one)
    steps = _steps(found)
    return History(
        control=name,
        metric=metric,
        series=[
            Series(
                client=points[0].cell.client,
                scenario=points[0].cell.scenario,
                shape=points[0].cell.shape,
                workload=points[0].cell.workload,
                server=points[0].cell.server,
                points=[_point(one, steps.get((key, number))) for number, one in enumerate(points)],
            )
            for key, points in found.items()
        ],
    )


def machine_of(run: CountedRun) -> str:
    """Return what distinguishes a run's machine from others, in words."""
    machine = run.manifest.machine
    memory = f"{machine.memory_bytes / 2**30:.0f} GiB"
    return f"{machine.cpus} x {machine.cpu_model}, {memory}, {machine.operating_system}"


def _control(runs: Iterable[CountedRun]) -> str:
    """Return the first client that loaded the same versions in every run."""
    versions = [_versions(run) for run in runs]
    same = (
        client
        for client, loaded in (versions[0].items() if versions else ())
        if loaded and all(one.get(client) == loaded for one in versions)
    )
    if (found := next(same, None)) is None:
        raise InvalidRequestError(
            "no client has the same versions in all of these runs; name one with --control CLIENT"
        )
    return found


def _versions(run: CountedRun) -> dict[str, Mapping[str, str]]:
    return {cell.client: cell.versions for cell in run.cells if cell.measured}


def _beside(run: CountedRun, control: str, metric: str) -> Iterable[_Found]:
    """Yield each cell that took turns with the control."""
    cells = {cell.cell_id: cell for cell in run.cells}
    for block in run.blocks.values():
        of_control = next((one for one in block.values() if one.trial.client.name == control), None)
        for cell_id, counted in block.items():
            if of_control is not None and counted.trial.client.name != control:
                pair: tuple[CountedCell, CountedCell] = (counted, of_control)
                ratio = run.ratios.ratios({cell_id: pair}, lambda *key: key, (metric,))[cell_id].get(metric)
                if ratio is not None:
                    estimate = run.ratios.estimate(pair, metric)
                    yield _Found(run, cells[cell_id], cells[of_control.trial.cell_id], ratio, estimate)


def _key(cell: ReportCell) -> SeriesKey:
    return cell.client, cell.scenario, cell.shape.model_dump_json(), cell.workload, cell.server


def _steps(found: Mapping[SeriesKey, Sequence[_Found]]) -> dict[tuple[SeriesKey, int], Ratio]:
    """Return how each point differs from the one before on the same machine, whose processes lived as long."""
    changes: dict[tuple[SeriesKey, int], Ratio] = {}
    for key, points in found.items():
        before: dict[str, Estimate] = {}
        for number, one in enumerate(points):
            if one.estimate is not None:
                alike = f"{machine_of(one.run)}, {one.run.manifest.processes}"
                if alike in before:
                    changes[key, number] = change_of(before[alike], one.estimate).ratio(CONFIDENCE)
                before[alike] = one.estimate
    return with_claims(changes)


def _point(one: _Found, step: Ratio | None) -> Point:
    manifest = one.run.manifest
    figures = [cell.measured.rps_median if cell.measured else 0.0 for cell in (one.cell, one.control)]
    return Point(
        run_id=manifest.run_id,
        started_at=manifest.started_at,
        machine=machine_of(one.run),
        processes=manifest.processes,
        server=manifest.servers[one.cell.server].version,
        library_version=one.cell.library_version,
        rps=figures[0],
        control_rps=figures[1],
        ratio=one.ratio,
        step=step,
    )
