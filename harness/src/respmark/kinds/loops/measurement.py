"""How loops are measured: all trials of a block warm up, then they take turns in slices, lap by lap."""

from contextlib import AbstractContextManager
from typing import Final

from respmark.contract.rate import Goal, goal_of
from respmark.kinds.loops.loop import Loop
from respmark.kinds.loops.outcome import outcome_of
from respmark.kinds.loops.record import Aim
from respmark.kinds.loops.search import Curve, Search
from respmark.kinds.loops.warm_up import warm_up_alone, warm_up_open, warm_up_together
from respmark.kinds.loops.work import must_repeat, slice_work
from respmark.machine.cpus import available_cpus
from respmark.plan.plan import Trial
from respmark.run.block import BlockRun
from respmark.run.outcome import Outcome
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S
from respmark.run.state import RunState

MOST_FIND_LAPS: Final = 250
"""Searches take 30 to 60 slices."""


class LoopsMeasurement:
    """One round of a block of loops."""

    def __init__(self, run: BlockRun, state: RunState) -> None:
        self.run, self.state = run, state
        self.loops = {one.trial.id: Loop(one) for one in run.processes}
        cells = [trial.cell for trial in run.block.trials]
        self.library_commands = run.bed.library_commands(cell.client for cell in cells)
        """Commands that the block's libraries send of their own accord."""

    def measure(self) -> None:
        """Warm up, and let all trials take turns; if something cuts that short, slices that have ended are kept."""
        self.run.held.enter_context(self.run.bed.listening(trial.cell for trial in self.run.block.trials))
        try:
            self._measure()
        finally:
            self.run.each(lambda one: self.loops[one.trial.id].hand_over())

    def outcome(self, trial: Trial) -> Outcome:
        """Return what became of a trial; raises ServerLostError if the server was restarted meanwhile."""
        return outcome_of(self.loops[trial.id], self.state, self.library_commands, self.run.cut_short)

    def _measure(self) -> None:
        self.run.start_all()
        self.run.each(lambda one: self.loops[one.trial.id].prepare())
        settings = self.run.bed.settings
        if settings.warmup_limit_s:
            self._warm_up()
        self.run.wait_until_quiet(BEFORE_LAPS_S)
        if (goal := goal_of(self.run.block.trials[0].cell.shape.rate or "")) is not None:
            self._find(goal)
            return
        for lap in range(1, settings.laps + 1):
            self.run.tell(f"lap {lap} of {settings.laps}")
            for turn, one in self.run.in_turns(lap):
                with self.run.guarded(one):
                    self._take_turn(self.loops[one.trial.id], lap, turn)

    def _warm_up(self) -> None:
        """Warm up all at the same time, as far as processors allow; then judge one after the other, alone."""
        self.run.tell("warming up")
        warm_up_together(self._active(), len(available_cpus()), self._guarded, self._is_active)
        self.run.wait_until_quiet(BEFORE_LAPS_S)
        for loop in self._active():
            self.run.tell(f"warming up {loop.cell.client.name}")
            self.run.wait_until_quiet(BEFORE_SLICE_S)
            with self._guarded(loop):
                warm_up_alone(loop, self.state)
                warm_up_open(loop)

    def _take_turn(self, loop: Loop, lap: int, turn: int) -> None:
        laps = self.run.bed.settings.laps
        work = slice_work(loop, (self.run.block.round - 1) * laps + lap)
        while True:
            self.run.wait_until_quiet(BEFORE_SLICE_S)
            loop.take_slice(work, lap, turn)
            if not must_repeat(loop, lap):
                return

    def _find(self, goal: Goal) -> None:
        """Look for the highest rate of each client, then measure latency below it, all in turns."""
        for loop in self._active():
            loop.search = Search(goal, loop.closed_rps)
        curve, lap = Curve(self.run.bed.settings.laps), 0
        while not curve.is_over(self._searches()) and lap < MOST_FIND_LAPS:
            lap += 1
            curve.begin_lap(self._searches())
            self.run.tell(f"lap {lap}, looking for the highest rates")
            for turn, one in self.run.in_turns(lap):
                with self.run.guarded(one):
                    self._look(curve, self.loops[one.trial.id], lap, turn)

    def _look(self, curve: Curve, loop: Loop, lap: int, turn: int) -> None:
        search = loop.search
        if search is None or (probe := curve.next(search)) is None:
            return
        aim, rate = probe
        self.run.wait_until_quiet(BEFORE_SLICE_S)
        loop.take_slice(slice_work(loop, self.run.block.round * MOST_FIND_LAPS + lap, rate), lap, turn, probe)
        if aim is Aim.SEARCH and (seen := loop.last_open_slice()) is not None:
            search.learn(seen)

    def _searches(self) -> list[Search]:
        return [loop.search for loop in self._active() if loop.search is not None]

    def _active(self) -> list[Loop]:
        return [self.loops[one.trial.id] for one in self.run.active]

    def _is_active(self, loop: Loop) -> bool:
        return loop.processes.trial.id not in self.run.failed

    def _guarded(self, loop: Loop) -> AbstractContextManager[None]:
        return self.run.guarded(loop.processes)
