"""Runs a plan: every round of every block, in order; each trial is recorded when its block ends."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from respmark.errors import AnotherServerError, InvalidRequestError, TargetError, TargetLostError
from respmark.plan.trial import BlockRound, Plan, Trial, why_not
from respmark.results.records import FORMAT, Status, TrialRecord
from respmark.run.block import INTERRUPTED, MeasuredBlock, measure_block
from respmark.run.context import RunContext, Served
from respmark.run.outcome import Outcome
from respmark.run.schedule import Schedule
from respmark.specs.runner import RunnerSpec


class Done:
    """What the records of a run so far say."""

    def __init__(self, records: Iterable[TrialRecord] = ()) -> None:
        self.measured_s = 0.0
        """How long the slices lasted together that count, without their lead-ins."""
        self.missing: dict[str, str] = {}
        """Why clients were missing, by name; they stay missing, because all rounds need the same clients."""
        self.versions: dict[str, Mapping[str, str]] = {}
        """What the first trial of each client that was measured loaded; all later trials must load the same."""
        self.apart: dict[str, bool] = {}
        """Whether the first trial of each cell was kept off the server's CPU."""
        self._statuses: dict[str, Status] = {}
        """By trial, without those that were interrupted."""
        for record in sorted(records, key=lambda record: record.order):
            self._learn(record)

    def _learn(self, record: TrialRecord) -> None:
        self.measured_s += measured_s(record)
        if INTERRUPTED not in (record.reason or ""):
            self._statuses[record.trial_id] = record.status
        if record.status is Status.MISSING:
            self.missing[record.client.name] = record.reason or ""
        if record.warm_up is not None:
            self.apart.setdefault(record.cell_id, record.warm_up.is_apart_from_server)
        if record.slices:
            self.versions.setdefault(record.client.name, record.versions)

    def statuses(self, block: BlockRound) -> list[Status] | None:
        """Return the status of each trial of a block; None if one is not done: the block is then measured again.

        A block that was interrupted is measured again as a whole: its laps compare clients that take turns.
        """
        known = [self._statuses[trial.id] for trial in block.trials if trial.id in self._statuses]
        return known if len(known) == len(block.trials) else None


def measured_s(record: TrialRecord) -> float:
    """Return how long the slices of a trial lasted together that count, without their lead-ins."""
    return sum(one.elapsed_ns for one in record.slices if one.counts) / 1e9


class Observer:
    """Follows a run and says nothing; methods must return quickly, because the machine is measuring."""

    def run_started(self, schedule: Schedule) -> None:
        """A run begins; its schedule knows how long it still takes."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """A round of a block begins: number `number` of the run, counted from 1."""

    def progress(self, text: str) -> None:
        """The block has reached this point; called between slices."""

    def trial_ended(self, record: TrialRecord) -> None:
        """A trial has ended and its record is written."""

    def round_ended(self, number: int, of: int) -> None:
        """A round of every block has ended, and more are to come; nothing is measured until this returns."""

    def note(self, text: str) -> None:
        """There is something that the user should know."""


class Recorder(Protocol):
    """Stores records; each is written whole when the round of its block ends."""

    def append(self, record: TrialRecord) -> None:
        """Store this record; raises RunFolderError if it cannot be written."""


RETURN_LIMIT_S = 10.0
"""How long a server that we did not start may be away before the run gives up on it."""


@dataclass
class Session:
    """A run under way."""

    plan: Plan
    context: RunContext
    runners: dict[str, RunnerSpec]
    observer: Observer
    recorder: Recorder
    schedule: Schedule
    done: Done = field(default_factory=Done)
    """What was measured before, if the run is resumed."""
    missing: dict[str, str] = field(default_factory=dict)
    """Why clients are missing, by name."""
    statuses: list[Status] = field(default_factory=list)
    """Of every trial so far."""
    blocks: int = 0
    """How many rounds of blocks there were so far."""
    blocks_measured: int = 0
    """How many of them were measured now, not before this run was resumed."""
    measured_s: float = 0.0
    """How long the slices lasted together that count, without their lead-ins."""

    def run(self) -> list[Status]:
        """Measure the schedule's blocks that are not done; return the status of each trial.

        Raises:
            InvalidRequestError: a client that was measured before is missing now.
            TargetError: the target refuses what every trial needs, or does not come back.
            RunFolderError: a record cannot be written.
            KeyboardInterrupt: the user interrupted the run; what has ended is recorded.
        """
        self.missing = self._missing_clients()
        for line in why_not(self.plan.named_unsupported):
            self.observer.note(f"cannot be measured: {line}")
        self._record_unmeasured()
        self.context.versions.update(self.done.versions)
        self.context.apart.update(self.done.apart)
        self.measured_s = self.done.measured_s
        self.observer.run_started(self.schedule)
        planned, measured = self.plan.settings.rounds, 0
        for ended, blocks in enumerate(self.schedule.rounds()):
            if 0 < ended <= planned and self.blocks_measured > measured:
                self.observer.round_ended(ended, planned)
            measured = self.blocks_measured
            self._run_round(list(map(self._without_missing, blocks)))
        return list(self.statuses)

    def _without_missing(self, block: BlockRound) -> BlockRound:
        return replace(
            block, trials=tuple(trial for trial in block.trials if trial.cell.client.name not in self.missing)
        )

    def _run_round(self, blocks: Sequence[BlockRound]) -> None:
        known = [self.done.statuses(block) for block in blocks]
        for block, statuses in zip(blocks, known, strict=True):
            if not self.schedule.begins(block):
                continue
            self.blocks += 1
            self.statuses += self._run_block(block) if statuses is None else statuses
            self.blocks_measured += statuses is None

    def _missing_clients(self) -> dict[str, str]:
        missing = {
            client.name: reason
            for client in self.plan.clients
            if (reason := self.context.executor.missing(client)) is not None
        }
        if lost := sorted(self.done.versions.keys() & missing.keys()):
            raise InvalidRequestError(f"{lost[0]} was measured before and is missing now: {missing[lost[0]]}")
        missing = {**missing, **self.done.missing}
        for name, reason in missing.items():
            self.observer.note(f"{name} is missing: {reason}")
        return missing

    def _record_unmeasured(self) -> None:
        """Record what cannot be measured, once for each cell: no row may be left out."""
        for cell in self.plan.cells:
            reason = self.missing.get(cell.client.name)
            if reason is not None:
                self._record(Trial(cell, 1), 1, Outcome(Status.MISSING, reason), datetime.now(UTC))
            elif cell.unsupported is not None:
                self._record(Trial(cell, 1), 1, Outcome(Status.UNSUPPORTED, cell.unsupported), datetime.now(UTC))

    def _run_block(self, block: BlockRound) -> list[Status]:
        self.observer.block_started(block, self.blocks)
        started_at = datetime.now(UTC)
        measured = self._measured(block)
        self.schedule.ended(block, measured.spent)
        ended = zip(block.trials, measured.outcomes, strict=True)
        for order, (trial, outcome) in enumerate(ended, start=len(self.statuses) + 1):
            if outcome.slices or not measured.interrupted:
                self.observer.trial_ended(self._record(trial, order, outcome, started_at))
        if measured.interrupted:
            raise KeyboardInterrupt
        if measured.target_lost or any(outcome.status is Status.FAILED for outcome in measured.outcomes):
            for server in self.context.servers_of(trial.cell for trial in block.trials):
                server.state.dirty()
                if not server.target.alive():
                    self._recover(server)
        return [outcome.status for outcome in measured.outcomes]

    def _measured(self, block: BlockRound) -> MeasuredBlock:
        try:
            return measure_block(self.context, block, self.observer.progress)
        except TargetLostError as error:
            return MeasuredBlock(tuple(Outcome(Status.FAILED, str(error)) for _ in block.trials), target_lost=True)

    def _recover(self, server: Served) -> None:
        """Reach the target again: one that we started is restarted, any other may return by itself."""
        self.observer.note("the target no longer answers; trying to connect again")
        deadline = time.monotonic() + RETURN_LIMIT_S
        while True:
            try:
                server.target.reconnect()
            except AnotherServerError:
                raise
            except TargetError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
                continue
            break
        server.state.dirty()

    def _record(self, trial: Trial, order: int, outcome: Outcome, started_at: datetime) -> TrialRecord:
        cell = trial.cell
        record = TrialRecord(
            trial_id=trial.id,
            format=FORMAT,
            cell_id=cell.id,
            block=cell.block,
            round=trial.round,
            order=order,
            client=cell.client,
            language=self.runners[cell.client.runner].language,
            scenario=cell.scenario,
            shape=cell.shape,
            workload=cell.workload,
            server=cell.server,
            started_at=started_at,
            **vars(outcome),
        )
        self.recorder.append(record)
        self.measured_s += measured_s(record)
        return record
