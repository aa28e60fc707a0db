"""Cells: all rounds of the same trial, with the median over rounds for each figure."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final

from pydantic import Field

from respmark.contract.base import Message
from respmark.contract.events import SampleCovers
from respmark.contract.trial import Scenario, Shape
from respmark.histogram import Pairs, merge, percentile_ns
from respmark.records import Status, TrialRecord
from respmark.results.manifest import Manifest, PlannedCell
from respmark.results.store import Run
from respmark.results.version1 import TrialRecord1
from respmark.specs.scenario import sample_covers
from respmark.statistics.blocks import Comparison, comparisons_of
from respmark.statistics.counted import counted_slices
from respmark.statistics.figures import Figures, figures
from respmark.statistics.ranking import Standing, standings_of

SATURATED_PERCENT: Final = 90.0
"""A thread that uses this much of one processor has no more to give."""


class Bottleneck(StrEnum):
    """What limits the throughput."""

    CLIENT_CPU = "client CPU"
    SERVER_CPU = "server CPU"
    ROUND_TRIP = "round trip"


class Measured(Message):
    """The figures of a cell that was measured; medians over the rounds that are `ok`."""

    operations: int
    """Sum over rounds."""
    rps_median: float
    rps_min: float
    rps_max: float
    client_cpu_percent: float
    client_cpu_us_per_command: float
    server_cpu_percent: float
    server_cpu_us_per_command: float
    other_cpu_percent: float | None
    commands_per_read: float | None
    input_bytes_per_read: float | None = None
    connections_received: int
    """Accepted in the window."""
    connections_open: int
    """Open when the window began."""
    hit_ratio: float | None
    sample_covers: SampleCovers
    p50_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float
    bottleneck: Bottleneck | None
    """Null: nothing shows what limits it, such as threads that take turns holding a lock."""
    client_thread_percent: float | None = None
    """The client's busiest thread, of one processor."""
    server_thread_percent: float | None = None
    stolen_percent: float | None = None
    """CPU that the hypervisor gave to others, of one processor."""
    own_commands: dict[str, int] = Field(default_factory=dict)
    """What its library, or one that waited, sent of its own accord in its slices, all rounds together."""
    drift_percent: float | None
    peak_memory_bytes: int
    cpu_accounts_percent: float | None = None
    """What the kernel counted of client CPU against what runners say, in percent; null: nobody counted."""
    slices: int | None = None
    """Sum over rounds; null in version 1."""
    waiting_cpu_percent: float | None = None
    """CPU that the client used while others had their turn, of one processor."""
    warmup_s: float | None = None
    """Work before the first slice that counts; median over rounds."""
    rounds_not_steady: int = 0
    """Rounds whose warm-up reached its limit while throughput or CPU per command still showed a trend."""


class Cell(Message):
    """What a table shows of one client in one scenario, shape and workload."""

    run_id: str
    cell_id: str
    block: str | None
    """What it was compared in; null in version 1."""
    scenario: Scenario
    client: str
    library: str
    library_version: str | None
    """The version that was really loaded; null where nothing was."""
    versions: dict[str, str]
    language: str
    decodes_to: str | None
    shape: Shape
    workload: str
    """Its name."""
    names_workload: bool
    """Whether labels must say which workload it is: cells of its run have others."""
    rounds: int
    """Rounds that are `ok`."""
    rounds_failed: int
    rounds_planned: int
    """Rounds that it was to have."""
    slices_lost: int
    """Slices of its `ok` rounds that are not counted."""
    status: Status
    """`ok` when at least one round is; `reason` then says what became of the others."""
    reason: str | None
    measured: Measured | None
    comparison: Comparison | None = None
    """Against the baseline of its block; null for the baseline itself, and where nothing can be compared."""
    standing: Standing | None = None
    """Among the clients that took turns with it; null where it has no figures, and in version 1."""

    @property
    def is_partial(self) -> bool:
        """Tell whether it has figures and they are not of everything that was planned: a round or slices are lost."""
        lost = self.rounds < self.rounds_planned or self.rounds_failed or self.slices_lost
        return self.measured is not None and bool(lost or self.reason)


def cells_of(run: Run, baseline: str | None = None) -> list[Cell]:
    """Return the cells of a run in the suite's order; `baseline` is a client, else each block's first is it."""
    by_cell: defaultdict[str, list[TrialRecord | TrialRecord1]] = defaultdict(list)
    for record in run.records:
        by_cell[record.cell_id].append(record)
    planned = {cell.cell_id: cell for cell in run.manifest.cells}
    beyond = [cell_id for cell_id in by_cell if cell_id not in planned]
    ordered = in_suite_order(run)
    comparisons = comparisons_of(ordered, baseline, run.manifest.looks)
    standings = standings_of(ordered, run.manifest.looks)
    return [
        _cell(run.manifest, by_cell[cell_id], comparisons.get(cell_id), standings.get(cell_id))
        if cell_id in by_cell
        else _not_reached(run.manifest, planned[cell_id])
        for cell_id in [*planned, *beyond]
    ]


def in_suite_order(run: Run) -> list[TrialRecord | TrialRecord1]:
    """Return the records of a run in the suite's order."""
    places = {cell.cell_id: number for number, cell in enumerate(run.manifest.cells)}
    return sorted(run.records, key=lambda record: places.get(record.cell_id, len(places)))


def _not_reached(manifest: Manifest, planned: PlannedCell) -> Cell:
    """Return the cell that a run ended before: it keeps its row."""
    return Cell(
        run_id=manifest.run_id,
        cell_id=planned.cell_id,
        block=planned.block,
        scenario=planned.scenario,
        client=planned.client.name,
        library=planned.client.library,
        library_version=None,
        versions={},
        language=planned.language,
        decodes_to=None,
        shape=planned.shape,
        workload=planned.workload or manifest.workload["name"],
        names_workload=bool(manifest.other_workloads),
        rounds=0,
        rounds_failed=0,
        rounds_planned=manifest.rounds,
        slices_lost=0,
        status=Status.NOT_MEASURED,
        reason="the run ended before",
        measured=None,
    )


def _cell(
    manifest: Manifest,
    records: list[TrialRecord | TrialRecord1],
    comparison: Comparison | None,
    standing: Standing | None,
) -> Cell:
    first = records[0]
    good = [record for record in records if record.status is Status.OK]
    versions = next((result.versions for record in records for result in record.results), {})
    return Cell(
        run_id=manifest.run_id,
        cell_id=first.cell_id,
        block=first.block if isinstance(first, TrialRecord) else None,
        scenario=first.scenario,
        client=first.client.name,
        library=first.client.library,
        library_version=versions.get(first.client.library),
        versions=versions,
        language=first.language,
        decodes_to=next((result.decodes_to for record in good for result in record.results), None),
        shape=first.shape,
        workload=first.workload,
        names_workload=bool(manifest.other_workloads),
        rounds=len(good),
        rounds_failed=sum(record.status is Status.FAILED for record in records),
        rounds_planned=max(manifest.rounds, len(records)),
        slices_lost=sum(map(_slices_lost, good)),
        status=Status.OK if good else first.status,
        reason=_reason(manifest, records, good),
        measured=_measured(good) if good else None,
        comparison=comparison,
        standing=standing,
    )


def _slices_lost(record: TrialRecord | TrialRecord1) -> int:
    if isinstance(record, TrialRecord1):
        return 0
    counted = counted_slices(record)
    return len(record.slices) - (0 if counted is None else counted.totals.slices)


def _reason(
    manifest: Manifest, records: list[TrialRecord | TrialRecord1], good: list[TrialRecord | TrialRecord1]
) -> str | None:
    bad = [record for record in records if record.status is not Status.OK]
    if not good:
        return bad[0].reason
    failed = f"{len(bad)} of {len(records)} rounds failed: {bad[0].reason}" if bad else None
    lost = next((record.reason for record in good if record.reason), None)
    absent = manifest.rounds - len(records)
    ended = f"{absent} of {manifest.rounds} rounds are missing: the run ended before" if absent > 0 else None
    return "; ".join(filter(None, (failed, lost, ended))) or None


def _measured(records: list[TrialRecord | TrialRecord1]) -> Measured:
    trials = [found for record in records if (found := figures(record)) is not None]
    histogram = merge(result.latency.histogram for record in records for result in record.results)
    rps = [trial.rps for trial in trials]
    client, server = _median(trials, "client_cpu_percent"), _median(trials, "server_cpu_percent")
    return Measured(
        operations=sum(trial.operations for trial in trials),
        rps_median=median(rps),
        rps_min=min(rps),
        rps_max=max(rps),
        client_cpu_percent=client,
        client_cpu_us_per_command=_median(trials, "client_cpu_us_per_command"),
        server_cpu_percent=server,
        server_cpu_us_per_command=_median(trials, "server_cpu_us_per_command"),
        other_cpu_percent=_known_median(trials, "other_cpu_percent"),
        commands_per_read=_known_median(trials, "commands_per_read"),
        input_bytes_per_read=_known_median(trials, "input_bytes_per_read"),
        connections_received=round(_median(trials, "connections_received")),
        connections_open=round(_median(trials, "connections_open")),
        hit_ratio=_known_median(trials, "hit_ratio"),
        sample_covers=sample_covers(records[0].scenario, records[0].shape),
        p50_ms=_ms(histogram, 50),
        p99_ms=_ms(histogram, 99),
        p999_ms=_ms(histogram, 99.9),
        max_ms=max(result.latency.max_ns for record in records for result in record.results) / 1e6,
        # Each process has a processor of its own: what they add up to says nothing of either.
        bottleneck=bottleneck(
            Busy(client / records[0].shape.processes, _known_median(trials, "client_thread_percent")),
            Busy(server, _known_median(trials, "server_thread_percent")),
        ),
        client_thread_percent=_known_median(trials, "client_thread_percent"),
        server_thread_percent=_known_median(trials, "server_thread_percent"),
        stolen_percent=_known_median(trials, "stolen_percent"),
        own_commands=dict(sum((trial.own_commands for trial in trials), Counter())),
        drift_percent=_known_median(trials, "drift_percent"),
        peak_memory_bytes=round(_median(trials, "peak_memory_bytes")),
        cpu_accounts_percent=_known_median(trials, "cpu_accounts_percent"),
        slices=_known_sum(trials, "slices"),
        waiting_cpu_percent=_known_median(trials, "waiting_cpu_percent"),
        warmup_s=_known_median(trials, "warmup_s"),
        rounds_not_steady=sum(not trial.is_steady for trial in trials),
    )


@dataclass(frozen=True)
class Busy:
    """One side's CPU, in percent of one processor."""

    all_percent: float
    """All threads of a process together."""
    thread_percent: float | None
    """Its busiest thread; None: nobody counted by thread."""

    @property
    def is_saturated(self) -> bool:
        """Tell whether a thread is shown to have no more to give."""
        return self.thread_percent is not None and self.thread_percent >= SATURATED_PERCENT

    @property
    def has_room(self) -> bool:
        """Tell whether all threads together leave room on one processor: then each of them does."""
        return self.all_percent < SATURATED_PERCENT


def bottleneck(client: Busy, server: Busy) -> Bottleneck | None:
    """Name what limits a cell where it is shown: a saturated thread, or that both sides wait for each other."""
    if client.is_saturated or server.is_saturated:
        client_first = (client.thread_percent or 0) >= (server.thread_percent or 0)
        return Bottleneck.CLIENT_CPU if client_first else Bottleneck.SERVER_CPU
    return Bottleneck.ROUND_TRIP if client.has_room and server.has_room else None


def _median(trials: Iterable[Figures], name: str) -> float:
    return float(median(getattr(trial, name) for trial in trials))


def _known_median(trials: Iterable[Figures], name: str) -> float | None:
    known = [value for trial in trials if (value := getattr(trial, name)) is not None]
    return median(known) if known else None


def _known_sum(trials: Iterable[Figures], name: str) -> int | None:
    known = [value for trial in trials if (value := getattr(trial, name)) is not None]
    return sum(known) if known else None


def _ms(histogram: Pairs, percentile: float) -> float | None:
    value_ns = percentile_ns(histogram, percentile)
    return None if value_ns is None else value_ns / 1e6
