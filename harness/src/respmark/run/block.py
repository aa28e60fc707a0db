"""Measures one round of a block: its trials are started together and take turns, slice by slice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from respmark.contract.rate import Goal, goal_of
from respmark.errors import RunnerFailedError, RunnerMissingError, TargetLostError
from respmark.load.search import Curve, Search
from respmark.machine.placement import available_cpus
from respmark.plan.loops import waits_s_of
from respmark.plan.plan import Block, PlannedCell, in_random_order
from respmark.results.records import Aim, Status
from respmark.run.outcome import Outcome
from respmark.run.participant import VERIFIED, VERIFIED_WAITS, Participant
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S, Waiting, wait_until_quiet
from respmark.run.slices import kept_slice, must_repeat, warm_up_alone, warm_up_open, warm_up_together
from respmark.run.state import INTERRUPTED, RunState
from respmark.run.testbed import Testbed

MOST_FIND_LAPS: Final = 250
"""Searches take 30 to 60 slices."""


@dataclass(frozen=True)
class MeasuredBlock:
    """The outcomes of a block's trials, and whether something cut the block short."""

    outcomes: tuple[Outcome, ...]
    """In the order of the block's trials."""
    target_lost: bool = False
    interrupted: bool = False


Tell = Callable[[str], None]
"""Is called with the block's progress; must return quickly."""


def measure_block(
    context: Testbed, block: Block, state: RunState, tell: Tell = lambda _text: None
) -> MeasuredBlock:
    """Measure one round of a block; failures of runners and of the target become outcomes.

    Raises TargetError if the target refused us, TargetLostError if the target was lost before anything was started.
    """
    with _started(context, block, state) as participants:
        context.restore(trial.cell for trial in block.trials)  # while runners load; none is connected yet
        run = _Run(context, block, participants, tell)
        with context.listening(trial.cell for trial in block.trials):
            measured = run.whole()
    is_whole = all(outcome.status is Status.OK for outcome in measured.outcomes)
    for participant in participants:
        # A driver writes values of one size to keys that it draws itself.
        if not is_whole or participant.saw_others or participant.trial.cell.client.capabilities.own_keys:
            participant.server.state.dirty()
    return measured


@contextmanager
def _started(context: Testbed, block: Block, state: RunState) -> Iterator[list[Participant]]:
    own = context.own_commands(trial.cell.client for trial in block.trials)
    participants = [
        Participant(context, trial, state, own, verified=_verified(context, trial.cell)) for trial in block.trials
    ]
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


def _verified(context: Testbed, cell: PlannedCell) -> int:
    """Return how many commands' replies are checked."""
    if not cell.client.capabilities.replies:
        return 0
    return VERIFIED_WAITS if waits_s_of(context.settings, cell) else VERIFIED


@dataclass(frozen=True)
class _Run:
    context: Testbed
    block: Block
    participants: list[Participant]
    tell: Tell

    def whole(self) -> MeasuredBlock:
        """Measure the round; if something cuts it short, the slices that have ended are kept."""
        lost = interrupted = False
        try:
            self._measure()
        except TargetLostError as error:
            lost = self._cut_short(str(error))
        except KeyboardInterrupt:
            interrupted = self._cut_short(INTERRUPTED)
        self._each(Participant.finish)
        outcomes = tuple(_outcome(participant) for participant in self.participants)
        return MeasuredBlock(outcomes, lost, interrupted)

    def _measure(self) -> None:
        self._each(Participant.load)
        self._each(Participant.connect)
        if self.context.settings.warmup_limit_s:
            self._warm_up()
        wait_until_quiet(self._waiting(), BEFORE_LAPS_S)
        if (goal := goal_of(self.block.trials[0].cell.shape.rate or "")) is not None:
            self._find(goal)
            return
        laps = self.context.settings.laps
        for lap in range(1, laps + 1):
            self.tell(f"lap {lap} of {laps}")
            for turn, participant in self._turns(lap):
                self._guarded(participant, partial(self._take_turn, lap=lap, turn=turn))

    def _find(self, goal: Goal) -> None:
        """Look for the highest rate of each client, then measure latency below it, all in turns."""
        for participant in self._active():
            participant.search = Search(goal, participant.closed_rps)
        curve, lap = Curve(self.context.settings.laps), 0
        while not curve.is_over(self._searches()) and lap < MOST_FIND_LAPS:
            lap += 1
            curve.begin_lap(self._searches())
            self.tell(f"lap {lap}, looking for the highest rates")
            for turn, participant in self._turns(lap):
                self._guarded(participant, partial(self._look, curve, lap=lap, turn=turn))

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
        warm_up_together(self._active(), len(available_cpus()), lambda one, step: self._guarded(one, lambda _: step()))
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
