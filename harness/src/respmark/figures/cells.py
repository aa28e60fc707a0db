"""Cells: all rounds of the same trial, with each figure combined over the rounds; a run's cells, and its prior."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import polars as pl

from respmark.contract.trial import Scenario, Shape
from respmark.figures.estimate import Estimate, LapSeries, LogRatios, Prior, estimate_of, log_ratios, prior_of
from respmark.figures.kind import FigureKind
from respmark.figures.metric import Compared, Figures
from respmark.results.manifest import CellDescription, Manifest
from respmark.results.read import ReadRun
from respmark.results.records import Status, TrialRecord, on_server
from respmark.results.store import read_manifest, read_records

if TYPE_CHECKING:
    from respmark.figures.comparison import Change
    from respmark.figures.ranking import Standing

NATIVE_CORE: Final = "native_core"
"""The setting in which a client whose core is native code names that code's language."""


class Use(NamedTuple):
    """What is done, with what, and where: all that identifies a cell besides its client and its block."""

    scenario: Scenario
    shape: Shape
    workload: str
    server: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Cell:
    """One client in one scenario, shape, workload and server; its fields are in the order of JSON."""

    run: "RunFigures" = field(repr=False)
    """Its run; two folders may have runs of the same ID."""
    cell_id: str
    block: str
    """The block in which it was compared."""
    scenario: Scenario
    client: str
    library: str
    library_version: str | None
    """The version that was actually loaded; null if none was."""
    versions: Mapping[str, str]
    named_version: str | None = None
    """Loaded version, if it is not the pinned one and the client's name has none."""
    language: str
    decodes_to: str | None
    native_core: str | None
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
    measured: Any
    """Its figures, which are those of its kind (`FigureKind.figures`); null if it has none."""
    is_library: bool
    """Whether somebody can choose it: no reference driver."""
    comparison: "Change | None" = field(default=None, repr=False)
    """With the baseline of its block; null for the baseline itself, and if nothing can be compared."""
    change: "Change | None" = field(default=None, repr=False)
    """With the same client in the block's first workload (server, round trip), if the block compares several clients in
    several of them."""
    standing: "Standing | None" = field(default=None, repr=False)
    """Among the clients that took turns with it; null if it has no figures."""

    @property
    def run_id(self) -> str:
        """Return the name of its run."""
        return self.run.manifest.run_id

    @property
    def use(self) -> Use:
        """Return what it does."""
        return Use(self.scenario, self.shape, self.workload, self.server)

    @property
    def laps(self) -> Mapping[str, LapSeries]:
        """Return its slices that count, by metric."""
        return self.run.laps.get(self.cell_id, {})

    @property
    def name(self) -> str:
        """Return the client, with a version that is not the pinned one."""
        return f"{self.client} {self.named_version}" if self.named_version else self.client

    @property
    def subject(self) -> str:
        """Return what tables call it: its name, and a server that is not alone."""
        return on_server(self.name, self.server if self.names_server else None)

    @property
    def unversioned_subject(self) -> str:
        """Return the same without a version, as standings name it."""
        return on_server(self.client, self.server if self.names_server else None)

    @property
    def is_partial(self) -> bool:
        """Return whether it has figures, but not of all the rounds and slices that were planned."""
        lost = self.rounds < self.rounds_planned or self.rounds_failed or self.slices_lost
        return self.measured is not None and bool(lost or self.reason)


@dataclass(frozen=True, eq=False)
class RunFigures(ReadRun):
    """A run with its figures, each of which is computed when it is first asked for."""

    kind: FigureKind
    """That of its trials."""

    @classmethod
    def of(cls, folder: Path, manifest: Manifest, records: Iterable[TrialRecord], kind: FigureKind) -> Self:
        """Return the run of these records, which are of that kind."""
        return cls(folder, manifest.of(kind.scenarios), kind.kept(records), kind)

    @cached_property
    def rounds(self) -> pl.DataFrame:
        """Return a row for each round that counts, with its totals and the value of each metric."""
        return self.kind.with_metrics(self.kind.rounds(self))

    @cached_property
    def cells(self) -> list[Cell]:
        """Return the cells in the suite's order; they are not compared yet."""
        trials: defaultdict[str, list[TrialRecord]] = defaultdict(list)
        for trial in self.trials:
            trials[trial.cell_id].append(trial)
        planned = {cell.cell_id: cell for cell in self.manifest.cells}
        measured = self.kind.measured(self, self.rounds)
        lost = dict(self.rounds.group_by("cell_id").agg(pl.col("lost").sum()).iter_rows())
        return [
            _cell(self, planned.get(one) or trials[one][0], trials[one], measured.get(one), lost.get(one, 0))
            for one in self.cell_ids
        ]

    @cached_property
    def by_id(self) -> Mapping[str, Cell]:
        """Return the cells by their IDs."""
        return {cell.cell_id: cell for cell in self.cells}

    @cached_property
    def laps(self) -> Mapping[str, Mapping[str, LapSeries]]:
        """Return the laps that count, by cell and metric, whichever round failed; one a round where it has no parts."""
        found: defaultdict[str, dict[str, LapSeries]] = defaultdict(dict)
        of_laps: defaultdict[Callable[[ReadRun], pl.LazyFrame] | None, dict[str, Compared]] = defaultdict(dict)
        for key, one in self.kind.compared.items():
            of_laps[one.laps][key] = one
        for laps, of_these in of_laps.items():
            parts = {key: one.parts or (self.kind.metric_of[key], "one") for key, one in of_these.items()}
            rows = self._by_round if laps is None else laps(self)
            columns = sorted({column for of_one in parts.values() for column in of_one})
            ordered = rows.select("cell_id", "round", "lap", *columns).sort("round", "lap").collect()
            for (cell_id,), part in ordered.partition_by("cell_id", as_dict=True).items():
                for key, of_one in parts.items():
                    if len(known := part.drop_nulls(of_one)):
                        numbers = known.select(of_one).to_numpy().astype(float)
                        found[str(cell_id)][key] = LapSeries(known.select("round", "lap").to_numpy(), numbers)
        return found

    @property
    def _by_round(self) -> pl.LazyFrame:
        """Return rounds as laps, one each."""
        return self.rounds.lazy().with_columns(lap=pl.lit(1, pl.Int64), one=pl.lit(1.0))

    @cached_property
    def blocks(self) -> Mapping[str, Sequence[Cell]]:
        """Return the cells that took turns and have slices that count, by block, in the suite's order."""
        blocks: defaultdict[str, list[Cell]] = defaultdict(list)
        for cell in self.cells:
            if cell.cell_id in self.laps:
                blocks[cell.block].append(cell)
        return dict(blocks)

    @cached_property
    def compares_conditions(self) -> Mapping[str, bool]:
        """Return whether a block compares several clients, and each of them under several conditions."""
        return {
            name: len({cell.client for cell in cells}) > 1 and len(set(map(conditions_of, cells))) > 1
            for name, cells in self.blocks.items()
        }

    @cached_property
    def _priors(self) -> dict[str, Prior]:
        return {}

    @cached_property
    def _log_ratios(self) -> dict[tuple[LapSeries, LapSeries], LogRatios | None]:
        return {}

    def log_ratios(self, new: Cell, base: Cell, metric: str) -> LogRatios | None:
        """Return what rounds say about two cells; None if they cannot differ or have no lap of the metric in common."""
        one, other = new.laps.get(metric), base.laps.get(metric)
        cannot_differ = self.kind.compared[metric].of_place and (new.workload, new.server) == (
            base.workload,
            base.server,
        )
        if one is None or other is None or cannot_differ or new.run is not base.run or new.block != base.block:
            return None
        if (one, other) not in self._log_ratios:
            self._log_ratios[one, other] = log_ratios(one, other)
        return self._log_ratios[one, other]

    def prior(self, metric: str) -> Prior:
        """Return what the variances of the run's comparisons have in common, whoever asks.

        It is fitted to the pairs with each block's own baseline: all pairs of a block would repeat each other.
        """
        if metric not in self._priors:
            pairs = ((cell, baseline_of(cell)) for cells in self.blocks.values() for cell in cells)
            found = (
                self.log_ratios(cell, base, metric) for cell, base in pairs if base is not None and base is not cell
            )
            self._priors[metric] = prior_of(one for one in found if one is not None)
        return self._priors[metric]

    def estimate(self, new: Cell, base: Cell, metric: str) -> Estimate | None:
        """Return the estimate of a ratio; None if there are too few rounds to know its error, or none."""
        found = self.log_ratios(new, base, metric)
        return None if found is None else estimate_of(found, self.prior(metric))


def read_figures(folder: Path, kind: FigureKind, rounds: int | None = None) -> RunFigures:
    """Read a run's trials of one kind; `rounds` is how many there can be so far if it is under way.

    Raises what `read_manifest` and `read_records` do.
    """
    manifest = read_manifest(folder)
    known = manifest if rounds is None else manifest.model_copy(update={"rounds": rounds})
    records = read_records(folder, lambda scenario: kind.record if scenario in kind.scenarios else None)
    return RunFigures.of(folder, known, records, kind)


def conditions_of(cell: Cell) -> tuple[str, str, float | None]:
    """Return under which conditions a cell was measured: workload, server and round trip."""
    return cell.workload, cell.server, cell.shape.rtt_ms


def baseline_of(cell: Cell, client: str | None = None) -> Cell | None:
    """Return what a cell is compared with: the cell of a client, by default of its block's first.

    In a block that compares several clients under several conditions, that client's cell under the same ones.
    """
    cells, is_within = cell.run.blocks[cell.block], cell.run.compares_conditions[cell.block]
    name = client or cells[0].client
    same = (one for one in cells if not is_within or conditions_of(one) == conditions_of(cell))
    return next((one for one in same if one.client == name), None)


def _cell(
    run: RunFigures,
    what: CellDescription | TrialRecord,
    trials: Sequence[TrialRecord],
    measured: Figures | None,
    slices_lost: int,
) -> Cell:
    good = [trial for trial in trials if trial.status is Status.OK]
    versions = next((trial.versions for trial in trials if trial.versions), {})
    return Cell(
        run=run,
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
        names_workload=len(run.manifest.workloads) > 1,
        server=what.server,
        names_server=len(run.manifest.servers) > 1,
        rounds=len(good),
        rounds_failed=sum(trial.status is Status.FAILED for trial in trials),
        rounds_planned=max(run.manifest.rounds, len(trials)),
        slices_lost=slices_lost,
        status=Status.OK if good else trials[0].status if trials else Status.NOT_MEASURED,
        reason=_reason(run, trials, good),
        measured=measured,
        is_library=what.client.capabilities.is_library,
    )


def _reason(run: RunFigures, trials: Sequence[TrialRecord], good: Sequence[TrialRecord]) -> str | None:
    if not trials:
        return "the run ended before it was measured"
    bad = [trial for trial in trials if trial.status is not Status.OK]
    if not good:
        return bad[0].reason
    failed = f"{len(bad)} of {len(trials)} rounds failed: {bad[0].reason}" if bad else None
    lost = next((trial.reason for trial in good if trial.reason), None)
    absent = run.manifest.rounds - len(trials)
    ended = f"{absent} of {run.manifest.rounds} rounds are missing: the run ended early" if absent > 0 else None
    return "; ".join(filter(None, (failed, lost, ended))) or None
