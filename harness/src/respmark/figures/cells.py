"""Cells: all rounds of the same trial, with each figure combined over the rounds."""

import operator
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import Field

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.figures.blocks import Blocks, blocks_of
from respmark.figures.comparisons import Comparison, comparisons_of, place_changes
from respmark.figures.measured import Measured, measured_of, with_metrics
from respmark.figures.ranking import Standing, standings_of
from respmark.figures.ratios import RatioTable
from respmark.figures.rounds import rounds_of
from respmark.results.manifest import CellDescription, Manifest
from respmark.results.records import Status, TrialRecord, on_server
from respmark.results.run import Run
from respmark.results.store import read_manifest, read_records

NATIVE_CORE: Final = "native_core"
"""The setting in which a client whose core is native code names that code's language."""


class ReportCell(Message):
    """What a table shows about one client in one scenario, shape and workload."""

    run_id: str
    cell_id: str
    block: str
    """The block in which it was compared."""
    scenario: Scenario
    client: str
    library: str
    library_version: str | None
    """The version that was actually loaded; null if none was."""
    versions: dict[str, str]
    named_version: str | None = None
    """The version that stands in its name in tables: the loaded one, where it is not the one that the library's
    `client.toml` pins, and the client's own name has none."""
    language: str
    decodes_to: str | None
    native_core: str | None = Field(default=None, exclude_if=operator.not_)
    """The language of its native code, which has threads of its own; null if it has none."""
    shape: Shape
    workload: str
    """Name of the workload."""
    names_workload: bool
    """Whether labels must name the workload: the run has more than one."""
    server: str
    """Name of the server."""
    names_server: bool
    """Whether labels must name the server: the run has more than one."""
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
    change: Comparison | None = None
    """With the same client in the block's first workload (server, round trip), if the block compares several clients in
    several of them."""
    standing: Standing | None = None
    """Among the clients that took turns with it; null if it has no figures."""

    @property
    def subject(self) -> str:
        """Return what tables call it: the client, a version that is not the pinned one, a server that is not alone."""
        name = f"{self.client} {self.named_version}" if self.named_version else self.client
        return on_server(name, self.server if self.names_server else None)

    @property
    def unversioned_subject(self) -> str:
        """Return the same without a version, as trials and standings name it."""
        return self.model_copy(update={"named_version": None}).subject

    @property
    def mixes_placements(self) -> bool:
        """Return whether the client was kept off the server's CPU in some of its rounds, and not in others."""
        return self.measured is not None and 0 < self.measured.rounds_apart < self.rounds

    @property
    def is_partial(self) -> bool:
        """Return whether it has figures, but not of all the rounds and slices that were planned."""
        lost = self.rounds < self.rounds_planned or self.rounds_failed or self.slices_lost
        return self.measured is not None and bool(lost or self.reason)


@dataclass(frozen=True, eq=False)
class CountedRun(Run):
    """A run with its figures, each of which is computed when it is first asked for."""

    @cached_property
    def rounds(self) -> pl.DataFrame:
        """Return a row for each round that counts, with its totals and the value of each metric."""
        return with_metrics(rounds_of(self))

    @cached_property
    def cells(self) -> list[ReportCell]:
        """Return the cells in the suite's order; they are not compared yet."""
        trials: defaultdict[str, list[TrialRecord]] = defaultdict(list)
        for trial in self.trials:
            trials[trial.cell_id].append(trial)
        planned = {cell.cell_id: cell for cell in self.manifest.cells}
        measured = measured_of(self.rounds, self.latency)
        lost = dict(self.rounds.group_by("cell_id").agg(pl.col("lost").sum()).iter_rows())
        return [
            _cell(
                self.manifest,
                planned.get(cell_id) or trials[cell_id][0],
                trials[cell_id],
                measured.get(cell_id),
                lost.get(cell_id, 0),
            )
            for cell_id in self.cell_ids
        ]

    @cached_property
    def blocks(self) -> Blocks:
        """Return blocks and their cells in the suite's order."""
        return blocks_of(self)

    @cached_property
    def ratios(self) -> RatioTable:
        """Return the ratios of cells that took turns, those with baselines to the first client of each block."""
        return RatioTable(self.blocks, looks=self.manifest.looks)

    def ratios_to(self, baseline: str | None) -> RatioTable:
        """Return the same with another baseline; None: each block's first client."""
        return self.ratios if baseline is None else RatioTable(self.blocks, baseline, self.manifest.looks)


def read_counted(folder: Path, rounds: int | None = None) -> CountedRun:
    """Read a run with its figures, as `read_run` does; `rounds` is how many there can be so far if it is under way."""
    manifest = read_manifest(folder)
    known = manifest if rounds is None else manifest.model_copy(update={"rounds": rounds})
    return CountedRun.of(folder, known, read_records(folder))


def cells_of(run: CountedRun, baseline: str | None = None) -> list[ReportCell]:
    """Return the cells of a run in the suite's order, compared with a client, by default each block's first."""
    found: dict[str, Mapping[str, object]] = {
        "comparison": comparisons_of(run.ratios_to(baseline)),
        "change": place_changes(run.ratios),
        "standing": standings_of(run.ratios),
    }
    return [cell.model_copy(update={name: of.get(cell.cell_id) for name, of in found.items()}) for cell in run.cells]


def _cell(
    manifest: Manifest,
    what: CellDescription | TrialRecord,
    trials: Sequence[TrialRecord],
    measured: Measured | None,
    slices_lost: int,
) -> ReportCell:
    good = [trial for trial in trials if trial.status is Status.OK]
    versions = next((trial.versions for trial in trials if trial.versions), {})
    return ReportCell(
        run_id=manifest.run_id,
        cell_id=what.cell_id,
        block=what.block,
        scenario=what.scenario,
        client=what.client.name,
        library=what.client.library,
        library_version=versions.get(what.client.library),
        versions=versions,
        language=what.language,
        decodes_to=next((trial.decodes_to for trial in good), None),
        native_core=next((str(trial.settings[NATIVE_CORE]) for trial in good if NATIVE_CORE in trial.settings), None),
        shape=what.shape,
        workload=what.workload,
        names_workload=len(manifest.workloads) > 1,
        server=what.server,
        names_server=len(manifest.servers) > 1,
        rounds=len(good),
        rounds_failed=sum(trial.status is Status.FAILED for trial in trials),
        rounds_planned=max(manifest.rounds, len(trials)),
        slices_lost=slices_lost,
        status=Status.OK if good else trials[0].status if trials else Status.NOT_MEASURED,
        reason=_reason(manifest, trials, good),
        measured=measured,
    )


def _reason(manifest: Manifest, trials: Sequence[TrialRecord], good: Sequence[TrialRecord]) -> str | None:
    if not trials:
        return "the run ended before it was measured"
    bad = [trial for trial in trials if trial.status is not Status.OK]
    if not good:
        return bad[0].reason
    failed = f"{len(bad)} of {len(trials)} rounds failed: {bad[0].reason}" if bad else None
    lost = next((trial.reason for trial in good if trial.reason), None)
    absent = manifest.rounds - len(trials)
    ended = f"{absent} of {manifest.rounds} rounds are missing: the run ended early" if absent > 0 else None
    return "; ".join(filter(None, (failed, lost, ended))) or None
