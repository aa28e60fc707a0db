"""Measures one round of a block of cold starts: each client's program starts again and again, in turns."""

import time
from collections import defaultdict
from typing import Final

from respmark.contract.lines import Loaded
from respmark.contract.trial import Scenario
from respmark.errors import RunnerFailedError
from respmark.kinds.cold_start.duration import UNMEASURED
from respmark.kinds.cold_start.record import ColdStart, StartsRecord
from respmark.plan.plan import Trial
from respmark.results.records import Status
from respmark.run.block import BlockRun
from respmark.run.label import version_mismatch
from respmark.run.outcome import Outcome
from respmark.run.processes import TrialProcesses
from respmark.run.state import RunState
from respmark.runners.protocol import TrialRequest
from respmark.servers.evidence import evidence_between, take
from respmark.servers.info import NO_CALLS
from respmark.workload.replies import wrong_reply

LIMIT_S: Final = 60.0
"""For a start, and for the end of its program."""


class ColdStartMeasurement:
    """One round of a block of cold starts, see `Measurement`."""

    def __init__(self, run: BlockRun, state: RunState) -> None:
        self.run, self.state = run, state
        self.starts: defaultdict[str, list[ColdStart]] = defaultdict(list)
        """By trial, those that count."""
        self.versions: dict[str, dict[str, str]] = {}
        """By trial, what was loaded."""

    def measure(self) -> None:
        """Start every client once a lap, in the lap's order; the first lap does not count."""
        self.run.bed.restore(trial.cell for trial in self.run.block.trials)
        laps = self.run.bed.settings.laps
        for lap in range(1 - UNMEASURED, laps + 1):
            self.run.tell(f"lap {lap} of {laps}" if lap > 0 else "a lap that does not count")
            for _, one in self.run.in_turns(lap):
                with self.run.guarded(one):
                    start = self._start(one)
                    self.starts[one.trial.id] += [start] if lap > 0 else []

    def outcome(self, trial: Trial) -> Outcome:
        """Return what became of a trial."""
        starts = self.starts[trial.id]
        return Outcome(
            status=Status.OK if starts else Status.FAILED,
            reason=self.run.cut_short if starts else self.run.cut_short or "no start was measured",
            versions=self.versions.get(trial.id, {}),
            record=StartsRecord,
            measured={"starts": starts},
            has_figures=bool(starts),
        )

    def _start(self, one: TrialProcesses) -> ColdStart:
        """Start a client's program, and check what it says against the server."""
        cell, control = one.trial.cell, one.in_use.server.control
        # The program's order is a trial of `sync`, as the contract says.
        endpoint = one.bed.endpoint_of(cell)
        request = TrialRequest(cell.client, Scenario.SYNC, cell.shape, one.workload.path, endpoint)
        before, asked_ns = take(control), time.monotonic_ns()
        found = one.bed.executor.cold_start(request, LIMIT_S)
        seen = evidence_between(before, take(control)).calls.get("get", NO_CALLS).calls
        spec = one.bed.clients[cell.client.library]
        problem = wrong_reply(one.workload.workload, 0, [found.reply]) or version_mismatch(
            cell.client,
            [Loaded(contract=0, versions=found.versions)],
            self.state.versions.get(cell.client.name),
            spec.must_not_load(cell.client.options),
        )
        if problem is None and (sent := seen - spec.own_gets) != 1:
            problem = f"the server saw {sent} GETs of a process that was to send one"
        if problem is not None:
            raise RunnerFailedError(problem)
        self.versions[one.trial.id] = found.versions
        return ColdStart.of(asked_ns, found)
