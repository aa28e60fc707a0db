"""Measures one round of a block: its trials are started together and take turns, slice by slice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from respmark.contract.events import Slice, SliceOrder
from respmark.errors import TargetLostError
from respmark.execute.protocol import RunnerFailedError, RunnerMissingError
from respmark.plan.trial import BlockRound
from respmark.records import Status, WarmUp
from respmark.run.bench import Bench
from respmark.run.participant import Outcome, Participant, cpu_ns
from respmark.run.turns import first_command, in_random_order
from respmark.run.warmup import WarmUpLog

LEAST_UNITS: Final = 10
"""A slice lasts as long as so many units, where its time is not enough for them."""
LONGEST_SLICE_NS: Final = 2 * 10**9


@dataclass(frozen=True)
class Measured:
    """What became of a block's trials, and what cut it short."""

    outcomes: tuple[Outcome, ...]
    """In the order of the block's trials."""
    target_lost: bool = False
    interrupted: bool = False


Tell = Callable[[str], None]
"""Hears where the block is; must be quick."""


def measure_block(bench: Bench, block: BlockRound, tell: Tell = lambda _text: None) -> Measured:
    """Measure one round of a block; failures of runners, and of the target, become outcomes.

    Raises:
        TargetError: the target refused us.
        TargetLostError: it went away before anything was started.
    """
    bench.state.restore(bench.target.control, bench.target.flush)
    with _started(bench, block) as participants:
        measured = _Run(bench, block, participants, tell).whole()
    if any(outcome.status is not Status.OK or _unexpected(outcome) for outcome in measured.outcomes):
        bench.state.dirty()
    return measured


def _outcome(participant: Participant) -> Outcome:
    try:
        return participant.outcome()
    except TargetLostError as error:
        return Outcome(Status.FAILED, str(error))


def _unexpected(outcome: Outcome) -> bool:
    return any(one.evidence.other_calls for one in outcome.slices)


@contextmanager
def _started(bench: Bench, block: BlockRound) -> Iterator[list[Participant]]:
    setup = frozenset[str]().union(*(bench.setup_commands.get(t.cell.client.library, ()) for t in block.trials))
    participants = [Participant(bench, trial, setup) for trial in block.trials]
    try:
        for participant in participants:
            try:
                participant.start()
            except RunnerMissingError as error:
                participant.failure = Outcome(Status.MISSING, str(error))
        yield participants
    finally:
        for participant in participants:
            participant.kill()


@dataclass(frozen=True)
class _Run:
    """A block under way."""

    bench: Bench
    block: BlockRound
    participants: list[Participant]
    tell: Tell

    def whole(self) -> Measured:
        """Do all of it; what cuts it short leaves the slices that have ended."""
        lost = interrupted = False
        try:
            self._measure()
        except TargetLostError as error:
            lost = self._cut_short(str(error))
        except KeyboardInterrupt:
            interrupted = self._cut_short("the run was interrupted")
        self._each(Participant.finish)
        return Measured(tuple(_outcome(participant) for participant in self.participants), lost, interrupted)

    def _measure(self) -> None:
        self._each(Participant.load)
        self._each(Participant.connect)
        self._each(self._warm_up)
        for lap in range(1, self.bench.settings.laps + 1):
            self.tell(f"lap {lap} of {self.bench.settings.laps}")
            self._lap(lap)

    def _cut_short(self, why: str) -> bool:
        for participant in self.participants:
            participant.loss = why
        return True

    def _each(self, step: Callable[[Participant], None]) -> None:
        """Take a step with everyone who is still there; who fails is out, the others go on."""
        for participant in self.participants:
            if participant.active:
                self._guarded(participant, step)

    def _guarded(self, participant: Participant, step: Callable[[Participant], None]) -> None:
        try:
            step(participant)
        except RunnerFailedError as error:
            participant.fail(error)

    def _warm_up(self, participant: Participant) -> None:
        limit_s = self.bench.settings.warmup_limit_s
        if not limit_s:
            return
        self.tell(f"warming up {participant.trial.cell.client.name}")
        log = WarmUpLog()
        while log.work_s < limit_s and not log.is_steady:
            number = len(log.rates)
            order = self._order(participant, number, keep=False)
            answers = participant.work(order)
            log.add(_rate(answers), _cost(answers), (order.duration_ns + order.lead_in_ns) / 1e9)
            participant.unit_ns = _unit_ns(answers)
        participant.warm_up = WarmUp(slices=len(log.rates), work_s=log.work_s, is_steady=log.is_steady)

    def _lap(self, lap: int) -> None:
        block = self.block
        turns = in_random_order(self.participants, f"{self.bench.settings.seed}:{block.name}:{block.round}:{lap}")
        for turn, participant in enumerate(turns, start=1):
            if participant.active:
                number = (block.round - 1) * self.bench.settings.laps + lap
                order = self._order(participant, number, keep=True)
                self._guarded(participant, partial(Participant.take_turn, order=order, lap=lap, turn=turn))

    def _order(self, participant: Participant, number: int, *, keep: bool) -> SliceOrder:
        settings = self.bench.settings
        asked_ns = round(settings.slice_s * 1e9)
        return SliceOrder(
            slice=1,
            duration_ns=max(asked_ns, min(LONGEST_SLICE_NS, LEAST_UNITS * participant.unit_ns)),
            lead_in_ns=round(settings.lead_in_s * 1e9) if keep else 0,
            first_command=first_command(number, self.bench.commands),
            keep_samples=keep,
        )


def _rate(answers: tuple[Slice, ...]) -> float:
    return sum(one.measured.operations / max(1, one.ended.at_ns - one.measured_from.at_ns) * 1e9 for one in answers)


def _cost(answers: tuple[Slice, ...]) -> float:
    operations = sum(one.lead_in.operations + one.measured.operations for one in answers)
    return sum(cpu_ns(one) for one in answers) / max(1, operations)


def _unit_ns(answers: tuple[Slice, ...]) -> int:
    return max((one.ended.at_ns - one.measured_from.at_ns) // max(1, one.measured.units) for one in answers)
