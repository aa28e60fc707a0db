"""A library's releases on one scale, and the steps between neighbours.

Every release is compared with the control that took turns with it. A step is a release divided by the release that was
measured before it: in the block that both are in, else through the control. It is shown once all steps of a use and
metric are corrected for each other (Holm).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.figures.blocks import CountedCell
from respmark.figures.cells import CountedRun, ReportCell
from respmark.figures.compare import Estimate, Ratio, change_of, confidence_of, ratio_of, with_claims
from respmark.figures.measured import Measured
from respmark.figures.ratios import Ratios, RatioTable
from respmark.results.records import Status
from respmark.specs.naming import name_parts
from respmark.specs.versions import SortKey, VersionOrder, sort_key

METRICS: Final = ("rps", "client_cpu")
"""What releases are compared in."""
NO_VERSION: Final[SortKey] = ((), False, ())
ByBlock = Mapping[str, CountedCell]
"""A client's cells of one use that have slices that count, by block."""


class Release(Message):
    """A release in one use."""

    cell_id: str
    """Of its cell, or of the first one of several that was measured."""
    client: str
    version: str
    """That was loaded, or else that its client's name has."""
    status: Status
    reason: str | None
    measured: Measured | None
    to_control: Ratios
    """Empty for the control, and where the two have no lap in common."""
    before: str | None
    """Version of the release that was measured before it; null: it is the first, or was not measured."""
    step: Ratios
    """The ratios to that release."""

    @property
    def steps(self) -> dict[str, Ratio]:
        """Return the ratios that show a step, by metric."""
        return {metric: ratio for metric in METRICS if (ratio := self.step.ratio(metric)).is_known and ratio.shown}


class Timeline(Message):
    """The releases of a library in one use, from the oldest to the newest."""

    library: str
    options: str
    """As names have them; empty: every option at its default."""
    scenario: Scenario
    shape: Shape
    workload: str
    server: str
    control: str | None
    """Client that was in every block; null: none was measured in all of them."""
    releases: list[Release]

    @property
    def control_version(self) -> str:
        """Return the control's version."""
        return next((one.version for one in self.releases if one.client == self.control), "")


def timelines_of(run: CountedRun) -> list[Timeline]:
    """Return a run's timelines in the order of its cells; none unless it is a series of releases.

    Of uses without a rate: with one, throughput was asked for, and client CPU is not known.
    """
    if run.manifest.control is None:
        return []
    uses: defaultdict[tuple[str, ...], list[ReportCell]] = defaultdict(list)
    for cell in run.cells:
        if cell.shape.rate is None:
            # Not by options: a name leaves out those that are a release's defaults.
            uses[cell.library, cell.scenario, cell.shape.model_dump_json(), cell.workload, cell.server].append(cell)
    return [_timeline(run, cells) for cells in uses.values()]


def _options(cell: ReportCell) -> str:
    return name_parts(cell.client).options


def _timeline(run: CountedRun, cells: Sequence[ReportCell]) -> Timeline:
    of_client: defaultdict[str, list[ReportCell]] = defaultdict(list)
    for cell in sorted(cells, key=_order):
        of_client[cell.client].append(cell)
    counted = {
        client: {one.block: found for one in of_one if (found := _counted(run, one)) is not None}
        for client, of_one in of_client.items()
    }
    control = _control(run.manifest.control, counted)
    first = cells[0]
    return Timeline(
        library=first.library,
        options=next(filter(None, map(_options, cells)), ""),
        scenario=first.scenario,
        shape=first.shape,
        workload=first.workload,
        server=first.server,
        control=control,
        releases=list(_releases(run.ratios, of_client, counted, control)),
    )


def _releases(
    table: RatioTable,
    of_client: Mapping[str, Sequence[ReportCell]],
    counted: Mapping[str, ByBlock],
    control: str | None,
) -> Iterator[Release]:
    to_control = _to_control(table, counted, control)
    steps = _steps(table, counted, control)
    before: str | None = None
    for client, cells in of_client.items():
        # The control and the last release of a block have cells in several: the first one that was measured is shown.
        cell = next((one for one in cells if one.measured), cells[0])
        yield Release(
            cell_id=cell.cell_id,
            client=client,
            version=_version(cell),
            status=cell.status,
            reason=cell.reason,
            measured=cell.measured,
            to_control=Ratios(**to_control.get(client, {})),
            before=before if counted[client] else None,
            step=Ratios(**steps.get(client, {})),
        )
        before = _version(cell) if counted[client] else before


def _version(cell: ReportCell) -> str:
    return cell.library_version or name_parts(cell.client).version


def _order(cell: ReportCell) -> SortKey:
    """Return what releases are sorted by; npm's order reads the pre-releases of the other registries, too."""
    key = sort_key(_version(cell), VersionOrder.SEMVER)
    return key if isinstance(key, tuple) else NO_VERSION


def _counted(run: CountedRun, cell: ReportCell) -> CountedCell | None:
    return run.blocks.get(cell.block, {}).get(cell.cell_id)


def _control(asked: str | None, counted: Mapping[str, ByBlock]) -> str | None:
    """Return the client that is in every block: the one that was chosen if it was measured, else the oldest."""
    blocks = {block for of_client in counted.values() for block in of_client}
    everywhere = [client for client, of_client in counted.items() if blocks and blocks == of_client.keys()]
    return asked if asked in everywhere else next(iter(everywhere), None)


def _to_control(table: RatioTable, counted: Mapping[str, ByBlock], control: str | None) -> dict[str, dict[str, Ratio]]:
    """Return the ratios of each release to the control; all of a metric are a family."""
    if control is None:
        return {}
    pairs = {
        client: (cell, counted[control][block])
        for client, of_client in counted.items()
        if client != control
        for block, cell in list(of_client.items())[:1]
    }
    return table.ratios(pairs, lambda _, metric: metric, METRICS)


def _steps(table: RatioTable, counted: Mapping[str, ByBlock], control: str | None) -> dict[str, dict[str, Ratio]]:
    """Return the ratios of each release to the one that was measured before it; all of a metric are a family."""
    measured = [(client, of_client) for client, of_client in counted.items() if of_client]
    shared = counted[control] if control is not None else {}
    found = {
        (client, metric): ratio
        for (_, before), (client, after) in pairwise(measured)
        for metric in METRICS
        if (ratio := _step(table, before, after, shared, metric)) is not None
    }
    steps: defaultdict[str, dict[str, Ratio]] = defaultdict(dict)
    for (client, metric), ratio in with_claims(found, lambda key: key[1], confidence_of(table.looks)).items():
        steps[client][metric] = ratio
    return steps


def _step(table: RatioTable, before: ByBlock, after: ByBlock, shared: ByBlock, metric: str) -> Ratio | None:
    """Return the ratio in the block that both are in, or else of their ratios to the control; None if there is none."""
    confidence = confidence_of(table.looks)
    for block in (block for block in after if block in before):
        if (rounds := table.rounds((after[block], before[block]), metric)) is not None:
            return ratio_of(rounds, table.prior(metric), confidence)
    old, new = (_estimate(table, one, shared, metric) for one in (before, after))
    return None if old is None or new is None else change_of(old, new).ratio(confidence)


def _estimate(table: RatioTable, of_client: ByBlock, shared: ByBlock, metric: str) -> Estimate | None:
    """Return the estimate of a release's ratio to the control."""
    pairs = ((cell, shared[block]) for block, cell in of_client.items() if block in shared)
    return next((found for pair in pairs if (found := table.estimate(pair, metric)) is not None), None)
