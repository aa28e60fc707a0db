"""Cells: all rounds of the same trial, with each figure combined over the rounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.results.manifest import Manifest, PlannedCell
from respmark.results.records import Status, TrialRecord
from respmark.results.store import Run, in_order
from respmark.results.version1 import Record, TrialRecord1
from respmark.statistics.blocks import Blocks, Comparison, blocks_of, comparisons_of, merged
from respmark.statistics.counted import counted_slices
from respmark.statistics.measured import Measured, measured_of
from respmark.statistics.ranking import Standing, standings_of
from respmark.statistics.rounds import round_of


class ReportCell(Message):
    """What a table shows about one client in one scenario, shape and workload."""

    run_id: str
    cell_id: str
    block: str | None
    """The block in which it was compared; null in version 1."""
    scenario: Scenario
    client: str
    library: str
    library_version: str | None
    """The version that was actually loaded; null if none was."""
    versions: dict[str, str]
    language: str
    decodes_to: str | None
    shape: Shape
    workload: str
    """Name of the workload."""
    names_workload: bool
    """Whether labels must name the workload: the run has more than one."""
    rounds: int
    """Rounds that are `ok`."""
    rounds_failed: int
    rounds_planned: int
    """Rounds that were planned for it."""
    slices_lost: int
    """Slices of its `ok` rounds that do not count, other than those that were repeated."""
    status: Status
    """`ok` if at least one round is; `reason` then says what became of the others."""
    reason: str | None
    measured: Measured | None
    comparison: Comparison | None = None
    """With the baseline of its block; null for the baseline itself, and if nothing can be compared."""
    standing: Standing | None = None
    """Among the clients that took turns with it; null if it has no figures, and in version 1."""

    @property
    def is_partial(self) -> bool:
        """Return whether it has figures, but not of all the rounds and slices that were planned."""
        lost = self.rounds < self.rounds_planned or self.rounds_failed or self.slices_lost
        return self.measured is not None and bool(lost or self.reason)


@dataclass(frozen=True)
class CountedRun:
    """The figures of a run: all that tables, verdicts and comparisons need of its records."""

    manifest: Manifest
    cells: Sequence[ReportCell]
    """In the suite's order; they are not compared yet."""
    blocks: Blocks
    """Blocks and their cells in the suite's order."""


_COUNTED: WeakKeyDictionary[Run, CountedRun] = WeakKeyDictionary()
"""What was computed, kept for as long as the run exists: tables, page and verdicts ask for it again."""


def counted(run: Run | CountedRun) -> CountedRun:
    """Return the figures of a run, from its records if they are not known yet."""
    if isinstance(run, CountedRun):
        return run
    if run not in _COUNTED:
        _COUNTED[run] = counted_run(run.manifest, run.by_cell())
    return _COUNTED[run]


def counted_run(manifest: Manifest, by_cell: Iterable[Sequence[Record]]) -> CountedRun:
    """Return the figures of a run whose records come cell by cell, in any order; no records are kept."""
    cells: dict[str, ReportCell] = {}
    blocks: dict[str, Blocks] = {}
    began: dict[str, tuple[int, int, str]] = {}
    for records in by_cell:
        cell_id = records[0].cell_id
        cells[cell_id], blocks[cell_id] = _cell(manifest, records), blocks_of(records)
        began[cell_id] = in_order(records[0])
    planned = {cell.cell_id: cell for cell in manifest.cells}
    order = [*planned, *sorted(cells.keys() - planned.keys(), key=began.__getitem__)]
    return CountedRun(
        manifest,
        [cells[cell_id] if cell_id in cells else _not_reached(manifest, planned[cell_id]) for cell_id in order],
        merged(blocks[cell_id] for cell_id in order if cell_id in blocks),
    )


def cells_of(run: Run | CountedRun, baseline: str | None = None) -> list[ReportCell]:
    """Return the cells of a run in the suite's order, compared with a client, by default each block's first."""
    run = counted(run)
    comparisons = comparisons_of(run.blocks, baseline, run.manifest.looks)
    standings = standings_of(run.blocks, run.manifest.looks)
    return [
        cell.model_copy(update={"comparison": comparisons.get(cell.cell_id), "standing": standings.get(cell.cell_id)})
        for cell in run.cells
    ]


def _not_reached(manifest: Manifest, planned: PlannedCell) -> ReportCell:
    """Return a cell that was not measured before the run ended; it keeps its row."""
    return ReportCell(
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


def _cell(manifest: Manifest, records: Sequence[Record]) -> ReportCell:
    first = records[0]
    good = [record for record in records if record.status is Status.OK]
    versions = next((result.versions for record in records for result in record.results), {})
    return ReportCell(
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
        measured=measured_of(list(filter(None, map(round_of, good)))) if good else None,
    )


def _slices_lost(record: Record) -> int:
    if isinstance(record, TrialRecord1):
        return 0
    counted = counted_slices(record)
    if counted is None:
        return len(record.slices)
    return len(record.slices) - len(counted.laps) - (counted.totals.repeated or 0)


def _reason(manifest: Manifest, records: Sequence[Record], good: Sequence[Record]) -> str | None:
    bad = [record for record in records if record.status is not Status.OK]
    if not good:
        return bad[0].reason
    failed = f"{len(bad)} of {len(records)} rounds failed: {bad[0].reason}" if bad else None
    lost = next((record.reason for record in good if record.reason), None)
    absent = manifest.rounds - len(records)
    ended = f"{absent} of {manifest.rounds} rounds are missing: the run ended before" if absent > 0 else None
    return "; ".join(filter(None, (failed, lost, ended))) or None
