"""Runs a plan: every trial in order, each recorded as it ends."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from respmark.contract.base import SCHEMA_VERSION
from respmark.errors import AnotherServerError, TargetError, TargetLostError
from respmark.execute.missing import missing_reason
from respmark.execute.protocol import RunnerMissingError
from respmark.plan.trial import Cell, Plan, Trial
from respmark.records import Status, TrialRecord
from respmark.run.measure import Bench, Outcome, measure
from respmark.run.observer import Observer, Recorder
from respmark.specs.runner import RunnerSpec
from respmark.target.target import Target

RETURN_LIMIT_S = 10.0
"""How long a server that we did not start may be away before the run gives up on it."""


@dataclass
class Session:
    """A run under way."""

    plan: Plan
    bench: Bench
    runners: dict[str, RunnerSpec]
    observer: Observer
    recorder: Recorder
    reopen: Callable[[], Target]
    """Opens the target anew after it was lost."""

    def run(self) -> list[Status]:
        """Measure every trial; return the status of each.

        Raises:
            TargetError: the target refuses what every trial needs, or does not come back.
            RunFolderError: a record cannot be written.
            KeyboardInterrupt: the user has had enough; what has ended is recorded.
        """
        missing = self._missing_clients()
        self._record_unmeasured(missing)
        statuses = []
        for number, trial in enumerate(self.plan.trials, start=1):
            if trial.cell.client.name not in missing:
                statuses.append(self._run_trial(trial, number))
        return statuses

    def _missing_clients(self) -> dict[str, str]:
        missing = {
            client.name: reason
            for client in self.plan.clients
            if (reason := missing_reason(client, self.bench.executor)) is not None
        }
        for name, reason in missing.items():
            self.observer.note(f"{name} is missing: {reason}")
        return missing

    def _record_unmeasured(self, missing: dict[str, str]) -> None:
        """Record what cannot be measured, once a cell: no row may be left out."""
        for cell in self.plan.cells:
            reason = missing.get(cell.client.name)
            if reason is not None:
                self._record(Trial(cell, 1), 1, Outcome(Status.MISSING, reason), datetime.now(UTC))
            elif cell.unsupported is not None:
                self._record(Trial(cell, 1), 1, Outcome(Status.UNSUPPORTED, cell.unsupported), datetime.now(UTC))

    def _run_trial(self, trial: Trial, number: int) -> Status:
        self.observer.trial_started(trial, number)
        started_at = datetime.now(UTC)
        try:
            outcome = measure(self.bench, trial, self.observer.figure)
        except RunnerMissingError as error:
            outcome = Outcome(Status.MISSING, str(error))
        except TargetLostError as error:
            self.bench.state.dirty()
            outcome = Outcome(Status.FAILED, str(error))
        self.observer.trial_ended(self._record(trial, number, outcome, started_at))
        if outcome.status is Status.FAILED and not self.bench.target.alive():
            self._recover()
        return outcome.status

    def _recover(self) -> None:
        """Bring the target back: ours is started anew, another's may return by itself.

        Raises:
            TargetError: it does not come back.
        """
        self.observer.note("the target does not answer any more; trying to reach it again")
        deadline = time.monotonic() + RETURN_LIMIT_S
        while True:
            try:
                target = self.reopen()
            except AnotherServerError:
                raise
            except TargetError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
                continue
            break
        self.bench.state.dirty()
        self.bench = replace(self.bench, target=target)

    def _record(self, trial: Trial, order: int, outcome: Outcome, started_at: datetime) -> TrialRecord:
        cell, settings = trial.cell, self.plan.settings
        record = TrialRecord(
            schema_version=SCHEMA_VERSION,
            trial_id=trial.id,
            cell_id=cell.id,
            round=trial.round,
            order=order,
            client=cell.client,
            language=self._language(cell),
            scenario=cell.scenario,
            shape=cell.shape,
            workload=settings.workload.name,
            warmup_s=settings.warmup_for(cell.client),
            measure_s=settings.measure_s,
            started_at=started_at,
            status=outcome.status,
            reason=outcome.reason,
            stderr=list(outcome.stderr),
            ready=list(outcome.ready),
            results=list(outcome.results),
            evidence=outcome.evidence,
            counted_cpu_ns=outcome.counted_cpu_ns,
        )
        self.recorder.record(record)
        return record

    def _language(self, cell: Cell) -> str:
        return self.runners[cell.client.runner].language
