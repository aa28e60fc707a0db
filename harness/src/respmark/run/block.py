"""Measures one round of a block: its trials are started together and take turns, slice by slice."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from respmark.contract.rate import Goal, goal_of
from respmark.errors import RunnerFailedError, RunnerMissingError, TargetLostError
from respmark.load.search import Curve, Search
from respmark.machine.cpus import available_cpus
from respmark.plan.needs import waits_s_of
from respmark.plan.trial import BlockRound, Cell, in_random_order
from respmark.results.records import Aim, Status
from respmark.run.context import RunContext
from respmark.run.outcome import Outcome
from respmark.run.participant import VERIFIED, VERIFIED_WAITS, Participant
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S, Waiting, wait_until_quiet
from respmark.run.schedule import Spent
from respmark.run.slices import kept_slice, must_repeat, warm_up_alone, warm_up_open, warm_up_together

MOST_FIND_LAPS: Final = 250
"""Searches take 30 to 60 slices."""
INTERRUPTED: Final = "the run was interrupted"
"""Part of the reason that is recorded for a trial that the user interrupted."""


@dataclass(frozen=True)
class MeasuredBlock:
    """The outcomes of a block's trials, and whether something cut the block short."""

    outcomes: tuple[Outcome, ...]
    """In the order of the block's trials."""
    target_lost: bool = False
    interrupted: bool = False
    spent: Spent | None = None
    """What it took; None if it was cut short."""


Tell = Callable[[str], None]
"""Is called with the block's progress; must return quickly."""


def measure_block(context: RunContext, block: BlockRound, tell: Tell = lambda _text: None) -> MeasuredBlock:
    """Measure one round of a block; failures of runners and of the target become outcomes.

    Raises TargetError if the target refused us, TargetLostError if the target was lost before anything was started.
    """
    began_s = time.monotonic()
    round_trips = context.round_trips_of(trial.cell for trial in block.trials)
    for made in round_trips:
        made.adjust()
    with _started(context, block) as participants:
        context.restore(trial.cell for trial in block.trials)  # while runners load; none is connected yet
        run = _Run(context, block, participants, tell, began_s)
        with context.listening(trial.cell for trial in block.trials):
            measured = run.whole()
    for made in () if measured.interrupted else round_trips:
        made.check(f"{block.name}, round {block.round}")
    is_whole = all(outcome.status is Status.OK for outcome in measured.outcomes)
    for participant in participants:
        # A driver writes values of one size to keys that it draws itself.
        if not is_whole or participant.saw_others or participant.trial.cell.client.capabilities.own_keys:
            participant.server.state.dirty()
    return measured


@contextmanager
def _started(context: RunContext, block: BlockRound) -> Iterator[list[Participant]]:
    own = context.own_commands(trial.cell.client for trial in block.trials)
    participants = [Participant(context, trial, own, verified=_verified(context, trial.cell)) for trial in block.trials]
    try:
        for participant in participants:
            try:
                participant.start()
            except RunnerMissingError as error:
                participant.failure = Outcome(Status.MISSING, str(error))
            except RunnerFailedError as error:
                participant.fail(error)
        yield participants
    finally:
        for participant in participants:
            participant.kill()


def _verified(context: RunContext, cell: Cell) -> int:
    """Return how many commands' replies are checked."""
    if not cell.client.capabilities.replies:
        return 0
    return VERIFIED_WAITS if waits_s_of(context.settings, cell) else VERIFIED


@dataclass(frozen=True)
class _Run:
    context: RunContext
    block: BlockRound
    participants: list[Participant]
    tell: Tell
    began_s: float

    def whole(self) -> MeasuredBlock:
        """Measure the round; if something cuts it short, the slices that have ended are kept."""
        lost = interrupted = False
        laps, laps_s = 0, 0.0
        try:
            laps, laps_s = self._measure()
        except TargetLostError as error:
            lost = self._cut_short(str(error))
        except KeyboardInterrupt:
            interrupted = self._cut_short(INTERRUPTED)
        self._each(Participant.finish)
        outcomes = tuple(_outcome(participant) for participant in self.participants)
        prepared_s = time.monotonic() - self.began_s - laps_s
        spent = Spent(prepared_s, laps, laps_s) if laps else None
        return MeasuredBlock(outcomes, lost, interrupted, spent)

    def _measure(self) -> tuple[int, float]:
        self._each(Participant.load)
        self._each(Participant.connect)
        if self.context.settings.warmup_limit_s:
            self._warm_up()
        wait_until_quiet(self._waiting(), BEFORE_LAPS_S)
        ready_s = time.monotonic()
        if (goal := goal_of(self.block.trials[0].cell.shape.rate or "")) is not None:
            return self._find(goal), time.monotonic() - ready_s
        laps = self.context.settings.laps
        for lap in range(1, laps + 1):
            self.tell(f"lap {lap} of {laps}")
            for turn, participant in self._turns(lap):
                self._guarded(participant, partial(self._take_turn, lap=lap, turn=turn))
        return laps, time.monotonic() - ready_s

    def _find(self, goal: Goal) -> int:
        """Look for the highest rate of each client, then measure latency below it, all in turns; return the laps."""
        for participant in self._active():
            participant.search = Search(goal, participant.closed_rps)
        curve, lap = Curve(self.context.settings.laps), 0
        while not curve.is_over(self._searches()) and lap < MOST_FIND_LAPS:
            lap += 1
            curve.begin_lap(self._searches())
            self.tell(f"lap {lap}, looking for the highest rates")
            for turn, participant in self._turns(lap):
                self._guarded(participant, partial(self._look, curve, lap=lap, turn=turn))
        return lap

    def _searches(self) -> list[Search]:
        return [one.search for one in self._active() if one.search is not None]

    def _look(self, curve: Curve, participant: Participant, *, lap: int, turn: int) -> None:
        search = participant.search
        if search is None or (point := curve.next(search)) is None:
            return
        aim, rate = point
        wait_until_quiet(self._waiting(), BEFORE_SLICE_S)
        participant.take_turn(kept_slice(participant, self.block.round * MOST_FIND_LAPS + lap, rate), lap, turn, point)
        if aim is Aim.SEARCH and (seen := participant.last_open_slice()) is not None:
            search.learn(seen)

    def _cut_short(self, why: str) -> bool:
        for participant in self.participants:
            participant.loss = why
        return True

    def _each(self, step: Callable[[Participant], None]) -> None:
        for participant in self._active():
            self._guarded(participant, step)

    def _active(self) -> list[Participant]:
        return [participant for participant in self.participants if participant.active]

    def _waiting(self) -> list[Waiting]:
        """Return whose compilers and collectors might still work."""
        return list(self._active())

    def _guarded(self, participant: Participant, step: Callable[[Participant], None]) -> None:
        try:
            step(participant)
        except RunnerFailedError as error:
            participant.fail(error)

    def _warm_up(self) -> None:
        """Warm up all at the same time, as far as processors allow; then judge one after the other, alone."""
        self.tell("warming up")
        at_once = self.context.settings.warmup_at_once or len(available_cpus())
        warm_up_together(self._active(), at_once, lambda one, step: self._guarded(one, lambda _: step()))
        wait_until_quiet(self._waiting(), BEFORE_LAPS_S)
        for participant in self._active():
            self.tell(f"warming up {participant.trial.cell.client.name}")
            wait_until_quiet(self._waiting(), BEFORE_SLICE_S)
            self._guarded(participant, warm_up_alone)
            self._guarded(participant, warm_up_open)

    def _turns(self, lap: int) -> Iterator[tuple[int, Participant]]:
        """Yield those that are active in the lap's random order."""
        seed = f"{self.context.settings.seed}:{self.block.name}:{self.block.round}:{lap}"
        for turn, participant in enumerate(in_random_order(self.participants, seed), start=1):
            if participant.active:
                yield turn, participant

    def _take_turn(self, participant: Participant, lap: int, turn: int) -> None:
        work = kept_slice(participant, (self.block.round - 1) * self.context.settings.laps + lap)
        while True:
            wait_until_quiet(self._waiting(), BEFORE_SLICE_S)
            participant.take_turn(work, lap, turn)
            if not must_repeat(participant, lap):
                return


def _outcome(participant: Participant) -> Outcome:
    try:
        return participant.outcome()
    except TargetLostError as error:
        return Outcome(Status.FAILED, str(error))
