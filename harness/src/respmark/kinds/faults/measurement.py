"""Measures one round of a block of faults: trials side by side, each with a relay and a server of its own."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Final

from respmark.errors import UnsupportedError
from respmark.kinds.faults.duration import STAGGERED_S
from respmark.kinds.faults.history import History
from respmark.kinds.faults.record import FaultRecord
from respmark.kinds.faults.trial import CallersTrial
from respmark.machine.cpus import available_cpus
from respmark.plan.faults import MOST_TOGETHER
from respmark.plan.plan import Trial
from respmark.results.records import Status
from respmark.run.block import BlockRun
from respmark.run.outcome import Outcome
from respmark.run.processes import TrialProcesses
from respmark.run.state import RunState
from respmark.specs.server import SpawnedServer

TRIES: Final = 3
"""How often a trial is begun, if what else the machine does disturbs it; each time with fewer others beside it."""
HOT_PERCENT: Final = 20.0
"""A client that spent more than so much of one processor is measured alone, if those beside it were disturbed."""
AHEAD_NS: Final = 300_000_000
"""How long before the first command is due callers are told."""


class FaultsMeasurement:
    """One round of a block of faults, see `Measurement`."""

    def __init__(self, run: BlockRun, state: RunState) -> None:
        self.run, self.state = run, state
        self.ended: dict[str, CallersTrial] = {}
        """By trial, those that went on to their end."""

    def measure(self) -> None:
        """Measure trials side by side; what was disturbed again, with fewer beside it, and hot clients alone."""
        waiting, hot, together = list(self.run.processes), list[TrialProcesses](), MOST_TOGETHER
        for _ in range(TRIES):
            for group in [*self._groups([one for one in waiting if one not in hot], together), *_each_alone(hot)]:
                self._measure(group)
            waiting = self._disturbed()
            together = max(1, min(together, len(waiting)) // 2)
            hot = [one for one in waiting if self._is_hot(one)]

    def outcome(self, trial: Trial) -> Outcome:
        """Return what became of a trial."""
        made = self.ended.get(trial.id)
        if made is None or made.moments is None:
            return Outcome(Status.FAILED, self.run.cut_short or "its callers did not end")
        bed, seen = self.run.bed, made.processes.base_outcome()
        spec, kind = bed.clients[trial.cell.client.library], bed.servers[trial.cell.server].server.kind
        problem = made.disturbance() or made.processes.mislabelled(self.state.versions)
        measured = {
            "lasts_s": made.lasted_s,
            "affected": len(made.replaced.callers) if made.replaced else 0,
            "callers": made.callers,
            "made_as": made.made_as,
            "limits": spec.limits_of(trial.cell.client, kind),
            "begun_ns": made.moments.begun,
            "steps": made.steps,
            "figures": History.of(made.logs, made.moments, made.replaced).figures(made.samples, made.stretches),
            "connections": made.connections,
            "client_cpu_percent": made.client_cpu_percent,
            "memory_growth_bytes": made.memory_growth_bytes,
            "machine_busy_percent": made.machine_busy_percent,
            "close": made.close,
            "close_error": next(filter(None, (log.close_error for log in made.logs)), None),
        }
        status = Status.FAILED if problem else Status.OK
        return replace(
            seen, status=status, reason=problem, record=FaultRecord, measured=measured, has_figures=not problem
        )

    def _groups(self, waiting: Sequence[TrialProcesses], together: int) -> list[list[TrialProcesses]]:
        """Return the trials that run side by side; on a server that is not the trial's own, each runs alone."""
        alone = [one for one in waiting if not self._has_own_server(one)]
        beside = [one for one in waiting if self._has_own_server(one)]
        groups = [beside[begin : begin + together] for begin in range(0, len(beside), together)]
        return [*groups, *_each_alone(alone)]

    def _has_own_server(self, one: TrialProcesses) -> bool:
        return isinstance(self.run.bed.server_specs[one.trial.cell.server], SpawnedServer)

    def _disturbed(self) -> list[TrialProcesses]:
        ended = ((one, self.ended.get(one.trial.id)) for one in self.run.active)
        return [one for one, made in ended if made is not None and made.disturbance() is not None]

    def _is_hot(self, one: TrialProcesses) -> bool:
        return (self.ended[one.trial.id].client_cpu_percent or 0) > HOT_PERCENT

    def _measure(self, group: Sequence[TrialProcesses]) -> None:
        """Measure trials side by side; processes connect one after the other, while no caller goes on yet."""
        over = threading.Event()
        trials = {one.trial.id: self._made(one, over, len(group) - 1) for one in group}
        try:
            self._each(group, "starting", lambda one: self._start(one, trials[one.trial.id]))
            self._each(group, "loading", lambda one: trials[one.trial.id].processes.load())
            self._each(group, "connecting", lambda one: trials[one.trial.id].connect())
            self._go([one for one in group if one.trial.id not in self.run.failed], trials, over)
        finally:
            over.set()
            for one in group:
                one.kill()

    def _made(self, one: TrialProcesses, over: threading.Event, beside: int) -> CallersTrial:
        client = one.trial.cell.client
        callers = self.run.bed.clients[client.library].callers_of(client)
        return CallersTrial(self.run.bed, one.trial, callers, over, len(available_cpus()), beside)

    def _start(self, one: TrialProcesses, made: CallersTrial) -> None:
        if self.run.bed.executor.hosts:
            raise UnsupportedError("faults are made on this machine, and measured there: leave out --via")
        self.run.bed.check_place(one.trial.cell)
        one.held.enter_context(made.opened())
        made.processes.start()

    def _each(self, group: Sequence[TrialProcesses], what: str, step: Callable[[TrialProcesses], None]) -> None:
        self.run.tell(f"{what} {len(group)} clients")
        for one in group:
            if one.trial.id not in self.run.failed:
                with self.run.guarded(one):
                    step(one)

    def _go(self, group: Sequence[TrialProcesses], trials: dict[str, CallersTrial], over: threading.Event) -> None:
        self.run.tell(f"{len(group)} clients keep going")
        begins_ns = time.monotonic_ns() + AHEAD_NS
        with ThreadPoolExecutor(len(group) or 1) as pool:
            try:
                futures = {
                    one.trial.id: pool.submit(trials[one.trial.id].go, begins_ns + round(place * STAGGERED_S * 1e9))
                    for place, one in enumerate(group)
                }
                wait(futures.values())
            except BaseException:
                over.set()
                # Who waits for an answer has it when its process has ended.
                for one in group:
                    trials[one.trial.id].processes.kill()
                raise
        for one in group:
            with self.run.guarded(one):
                futures[one.trial.id].result()
                self.ended[one.trial.id] = trials[one.trial.id]


def _each_alone(trials: Sequence[TrialProcesses]) -> list[list[TrialProcesses]]:
    return [[one] for one in trials]
