"""Which slices a trial runs: those of its warm-up, and those that count."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from respmark.contract.events import Slice, SliceOrder
from respmark.evidence.compiling import was_compiling
from respmark.evidence.kernel import more_ns
from respmark.results.records import WarmUp
from respmark.run.apart import busy_thread, keep_apart
from respmark.run.participant import Participant, cpu_ns
from respmark.run.turns import first_command
from respmark.run.warmup import LOOKED_AT, WarmUpLog

LEAST_UNITS: Final = 10
"""A slice is made longer if its time is not enough for this many units."""
LONGEST_SLICE_NS: Final = 2 * 10**9
TOGETHER_SLICE_S: Final = 0.1
"""Beside others, however long the suite's slices are: shorter ones would be over before a compiler had begun."""
ALONE_SLICE_S: Final = 0.04
"""Alone, when compilers are done: eight of them show a trend as well as eight longer ones."""
MOST_IN_A_LAP: Final = 3
"""How many slices a client may run in a lap if its compilers are at work; the last counts, whatever they do in it."""

Guarded = Callable[[Participant, Callable[[], None]], None]
"""Runs a step for a participant; if it fails, the participant is not active any more."""


def kept_slice(participant: Participant, number: int) -> SliceOrder:
    """Return the order for slice `number`, counted over all rounds; all compared clients begin at the same command."""
    settings = participant.context.settings
    return SliceOrder(
        slice=1,
        duration_ns=_duration_ns(participant, settings.slice_s),
        lead_in_ns=round(settings.lead_in_s * 1e9),
        first_command=first_command(number, participant.workload.commands),
        keep_samples=True,
    )


def warm_up_together(participants: Sequence[Participant], at_once: int, guarded: Guarded) -> None:
    """Let trials work beside each other until their compilers are idle, `at_once` processes at a time.

    Nothing of it is measured: a processor that one of them leaves idle may serve another. Those whose compilers have
    threads of their own need the longest, and begin.
    """
    waiting = deque(sorted(map(_Together, participants), key=lambda one: not one.has_compilers))
    working: list[_Together] = []
    while waiting or working:
        while waiting and (not working or _processes([*working, waiting[0]]) <= at_once):
            working.append(waiting.popleft())
        for one in working:
            guarded(one.participant, one.begin)
        for one in working:
            guarded(one.participant, one.end)
        working = [one for one in working if one.participant.active and not one.is_done]


def warm_up_alone(participant: Participant) -> None:
    """Let a trial work alone until it is steady, or until its limit is reached; then keep it off the server's CPU.

    Its first slice has a lead-in, as it has rested.
    """
    limit_s = participant.context.settings.warmup_limit_s
    earlier = participant.warm_up or WarmUp(slices=0, work_s=0.0, is_steady=False)
    log, before = WarmUpLog(), None
    compiled_ns = participant.compiling_ns()
    while not log.rates or (earlier.work_s + log.work_s < limit_s and not log.is_steady):
        order = _warm_up_order(participant, ALONE_SLICE_S, earlier.slices + len(log.rates), led_in=not log.rates)
        before = participant.threads_ns()
        answers = participant.work(order)
        compiled_before_ns, compiled_ns = compiled_ns, participant.compiling_ns()
        _add(log, order, answers, more_ns(compiled_before_ns, compiled_ns))
        participant.unit_ns = _unit_ns(answers)
    participant.warm_up = WarmUp(
        slices=earlier.slices + len(log.rates),
        work_s=earlier.work_s + log.work_s,
        together_s=earlier.work_s,
        is_steady=log.is_steady,
        compiling_percent=log.compiling_percent,
        is_apart_from_server=_keep_apart(participant, before),  # judged by its last slice: earlier ones load
    )


def warm_up(participant: Participant) -> None:
    """Warm up the only trial that there is, by the rule of every run; raises what its steps raise."""
    if participant.context.settings.warmup_limit_s:
        warm_up_together([participant], 1, lambda _, step: step())
        warm_up_alone(participant)


@dataclass
class _Together:
    """A trial that warms up beside others."""

    participant: Participant
    log: WarmUpLog = field(default_factory=WarmUpLog)
    _compiled_ns: int | None = None
    _order: SliceOrder | None = None

    def __post_init__(self) -> None:
        self._compiled_ns = self.participant.compiling_ns()

    @property
    def has_compilers(self) -> bool:
        """Return whether its compilers have threads of their own, which are counted."""
        return self._compiled_ns is not None

    @property
    def is_done(self) -> bool:
        """Return whether its compilers are idle, or the limit leaves only the time to judge it alone."""
        left_s = self.participant.context.settings.warmup_limit_s - self.log.work_s
        return self.log.is_compiled or left_s <= LOOKED_AT * ALONE_SLICE_S

    def begin(self) -> None:
        """Order a slice."""
        if not self.is_done:
            order = _warm_up_order(self.participant, TOGETHER_SLICE_S, len(self.log.rates))
            self._order = self.participant.begin(order)

    def end(self) -> None:
        """Wait for its end."""
        if self._order is None:
            return
        answers = self.participant.answers(self._order)
        before_ns, self._compiled_ns = self._compiled_ns, self.participant.compiling_ns()
        _add(self.log, self._order, answers, more_ns(before_ns, self._compiled_ns))
        self.participant.unit_ns, self._order = _unit_ns(answers), None
        self.participant.warm_up = WarmUp(
            slices=len(self.log.rates), work_s=self.log.work_s, together_s=self.log.work_s, is_steady=False
        )


def settle(participant: Participant) -> None:
    """Let a trial work for one more slice, like those that count, but keep nothing of it."""
    before = participant.threads_ns()
    participant.work(kept_slice(participant, 0).model_copy(update={"keep_samples": False}))
    if participant.warm_up is not None and not participant.warm_up.is_apart_from_server:
        update = {"is_apart_from_server": _keep_apart(participant, before)}
        participant.warm_up = participant.warm_up.model_copy(update=update)


def must_repeat(participant: Participant, lap: int) -> bool:
    """Return whether the slice that has just ended in a lap must be repeated because compilers were at work in it.

    Without a warm-up, compiling is part of what the user asked to measure.
    """
    last = participant.turns[-1]
    worked = sum(turn.lap == lap for turn in participant.turns)
    wants_warm = participant.context.settings.warmup_limit_s > 0
    return wants_warm and worked < MOST_IN_A_LAP and was_compiling(last.compiling_ns, last.order)


def _warm_up_order(participant: Participant, slice_s: float, number: int, *, led_in: bool = False) -> SliceOrder:
    return SliceOrder(
        slice=1,
        duration_ns=_duration_ns(participant, slice_s),
        lead_in_ns=round(participant.context.settings.lead_in_s * 1e9) if led_in else 0,
        first_command=first_command(number, participant.workload.commands),
        keep_samples=False,
    )


def _add(log: WarmUpLog, order: SliceOrder, answers: tuple[Slice, ...], compiled_ns: int | None) -> None:
    work_s = (order.lead_in_ns + order.duration_ns) / 1e9
    log.add(_rate(answers), _cost(answers), work_s, compiled_ns)


def _processes(working: Sequence[_Together]) -> int:
    return sum(len(one.participant.processes) for one in working)


def _keep_apart(participant: Participant, before: dict[int, int] | None) -> bool:
    """Keep a client off the server's CPU if one thread has done its work since `before`; return whether it is now."""
    alone = busy_thread(before, participant.threads_ns()) if len(participant.processes) == 1 else None
    return keep_apart(alone, participant.context.target.pid)


def _duration_ns(participant: Participant, asked_s: float) -> int:
    return max(round(asked_s * 1e9), min(LONGEST_SLICE_NS, LEAST_UNITS * participant.unit_ns))


def _rate(answers: tuple[Slice, ...]) -> float:
    return sum(one.measured.operations / max(1, one.ended.at_ns - one.measured_from.at_ns) * 1e9 for one in answers)


def _cost(answers: tuple[Slice, ...]) -> float:
    operations = sum(one.lead_in.operations + one.measured.operations for one in answers)
    return sum(cpu_ns(one) for one in answers) / max(1, operations)


def _unit_ns(answers: tuple[Slice, ...]) -> int:
    return max((one.ended.at_ns - one.measured_from.at_ns) // max(1, one.measured.units) for one in answers)
