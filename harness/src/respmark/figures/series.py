"""Series: a client's releases in one run, or one client in many runs, each by its ratio to a control beside it.

The control took turns with every point, so all of them are on one scale. A step is a point divided by the one before
it: in the block that both are in, or else through the control. All steps of a metric are a family (Holm): of a series
of releases, or of all series of a history.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from respmark.errors import InvalidRequestError
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change, changes, per_metric
from respmark.figures.estimate import UNKNOWN, Ratio
from respmark.figures.pairing import Pair, control_of, neighbours, release_order, version_of
from respmark.specs.names import name_parts


@dataclass(frozen=True, eq=False)
class Point:
    """A release, or a run."""

    label: str
    cell: Cell
    """Of several, the first one that was measured."""
    to_control: Change | None = None
    """Null for the control itself, and where the two have no lap in common."""
    before: str | None = None
    """The point before, which the step is from; null: it is the first, or was not measured."""
    step: Change | None = None

    def to(self, metric: str) -> Ratio:
        """Return its ratio to the control."""
        return self.to_control.ratio(metric) if self.to_control else UNKNOWN

    @property
    def control(self) -> Cell | None:
        """Return the control's cell beside it."""
        return self.to_control.base if self.to_control else None

    def step_in(self, metric: str) -> Ratio:
        """Return its ratio to the point before."""
        return self.step.ratio(metric) if self.step else UNKNOWN

    @property
    def steps(self) -> dict[str, Ratio]:
        """Return the ratios that show a step, by metric."""
        return {metric: ratio for metric, ratio in self.step.ratios.items() if ratio.shown} if self.step else {}


@dataclass(frozen=True, eq=False)
class Series:
    """Points in one use, from the first to the last."""

    control: str | None
    """Client that all of them are compared with; null: none is beside all."""
    points: tuple[Point, ...]

    @property
    def cell(self) -> Cell:
        """Return a cell that has what all of its cells have: library, scenario, shape, workload, server."""
        return self.points[0].cell

    @property
    def control_label(self) -> str:
        """Return the control's own point; empty if it is none of them."""
        return next((one.label for one in self.points if one.cell.client == self.control), "")

    @property
    def options(self) -> str:
        """Return the options of its clients, as names have them; empty: every option at its default."""
        return next(filter(None, (name_parts(one.cell.client).options for one in self.points)), "")


def releases_of(run: RunFigures, metrics: Collection[str] = ()) -> list[Series]:
    """Return the releases of each use, from the oldest to the newest; none unless the run is a series of releases.

    Of uses with a rate only if metrics are named: throughput was asked for then, and client CPU is not known.
    """
    if run.manifest.control is None:
        return []
    uses: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in run.cells:
        if cell.shape.rate is None or metrics:
            # Not by options: a name leaves out those that are a release's defaults.
            uses[cell.library, *cell.use].append(cell)
    return [_releases(cells, run.manifest.control, metrics) for cells in uses.values()]


def _releases(cells: Sequence[Cell], asked: str, metrics: Collection[str]) -> Series:
    of_client: defaultdict[str, list[Cell]] = defaultdict(list)
    blocks: defaultdict[str, list[Cell]] = defaultdict(list)
    for cell in sorted(cells, key=release_order):
        of_client[cell.client].append(cell)
        if cell.laps:
            blocks[cell.block].append(cell)
    # The control and the last release of a block have cells in several: the first one that was measured is shown.
    shown = {client: next((one for one in found if one.measured), found[0]) for client, found in of_client.items()}
    with_laps = {client: [one for one in found if one.laps] for client, found in of_client.items()}
    counted = {client: found for client, found in with_laps.items() if found}
    is_everywhere = all(any(one.client == asked for one in block) for block in blocks.values())
    control = control_of(list(blocks.values()), asked if blocks and is_everywhere else None)
    controls = {cell.block: cell for cell in counted.get(control or "", ())}
    others = [found[0] for client, found in counted.items() if controls and client != control]
    beside = [Pair(cell, controls[cell.block]) for cell in others]
    neighbouring = list(pairwise(counted))
    pairs = (neighbours(counted[old], counted[new], controls) for old, new in neighbouring)
    to_control, steps = (
        {one.new.client: one for one in changes(found, per_metric, metrics or cells[0].run.kind.in_series)}
        for found in (beside, [pair for pair in pairs if pair is not None])
    )
    before = {new: version_of(shown[old]) for old, new in neighbouring}
    return Series(
        control,
        tuple(
            Point(version_of(cell), cell, to_control.get(client), before.get(client), steps.get(client))
            for client, cell in shown.items()
        ),
    )


@dataclass(frozen=True)
class History:
    """Many runs, in the order in which they were begun."""

    control: str
    series: Sequence[Series]


def history_of(runs: Sequence[RunFigures], control: str | None = None) -> History:
    """Return each client but the control, run by run; by default, the control is the first client that never changed.

    A step is from the run before on the same machine, whose processes lived as long.

    Raises:
        InvalidRequestError: there is no control, or no such client.
    """
    ordered = sorted(runs, key=lambda run: run.manifest.started_at)
    known = dict.fromkeys(cell.client for run in ordered for cell in run.cells)
    asked = None if control is None else _client(control, known)
    name = control_of([[cell for cell in run.cells if cell.measured] for run in ordered], asked)
    if name is None:
        raise InvalidRequestError(
            "no client has the same versions in all of these runs; name one with --control CLIENT"
        )
    found: defaultdict[tuple[object, ...], list[Change]] = defaultdict(list)
    for run in ordered:
        for one in changes(list(_beside(run, name)), per_metric, run.kind.in_series):
            if one.ratios:
                found[one.new.client, *one.new.use].append(one)
    pairs = [pair for of_client in found.values() for pair in _on_one_machine(of_client)]
    steps = {one.new: one for one in changes(pairs, per_metric, ordered[0].kind.in_series)}
    series = (tuple(_run_point(one, steps.get(one.new)) for one in of_client) for of_client in found.values())
    return History(name, [Series(name, points) for points in series])


def _client(name: str, known: Collection[str]) -> str:
    """Return the client of this name, or the only one of a library; raises InvalidRequestError if there is none."""
    of_library = [one for one in known if name_parts(one).base == name]
    if name in known or len(of_library) == 1:
        return name if name in known else of_library[0]
    raise InvalidRequestError(f"--control {name}: no such client in these runs; there are: {', '.join(known)}")


def _beside(run: RunFigures, control: str) -> Iterator[Pair]:
    for cells in run.blocks.values():
        if (beside := next((one for one in cells if one.client == control), None)) is not None:
            yield from (Pair(cell, beside) for cell in cells if cell.client != control)


def _on_one_machine(of_client: Sequence[Change]) -> Iterator[Pair]:
    """Yield each run with the one before it on the same machine; those without intervals are left out."""
    before: dict[tuple[str, str], Change] = {}
    for one in of_client:
        if one.estimates:
            alike = machine_of(one.new.run), one.new.run.manifest.processes
            if (last := before.get(alike)) is not None:
                yield Pair(one.new, last.new, (one.base, last.base))
            before[alike] = one


def _run_point(to_control: Change, step: Change | None) -> Point:
    return Point(to_control.new.run_id, to_control.new, to_control, step.base.run_id if step else None, step)


def machine_of(run: RunFigures) -> str:
    """Return what distinguishes a run's machine from others, in words."""
    machine = run.manifest.machine
    memory = f"{machine.memory_bytes / 2**30:.0f} GiB"
    return f"{machine.cpus} x {machine.cpu_model}, {memory}, {machine.operating_system}"
