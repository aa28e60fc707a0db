"""Which slices a trial runs: those of its warm-up, and those that count."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from respmark.contract.lines import Work, Worked
from respmark.contract.rate import RateSchedule, Step, goal_of, parsed
from respmark.load.arrivals import ArrivalFiles, begins_at
from respmark.load.search import first_rate
from respmark.machine.kernel import more_ns
from respmark.plan.loops import LEAST_UNITS, LONGEST_SLICE_S, slice_s_of, waits_s_of, warming_slice_s
from respmark.results.records import WarmUp
from respmark.run.apart import busiest
from respmark.run.participant import Participant
from respmark.run.warmup import LOOKED_AT, WarmUpLog
from respmark.specs.scenario import commands_per_unit

GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are (Knuth, TAOCP 3, 6.4)."""
LONGEST_SLICE_NS: Final = round(LONGEST_SLICE_S * 1e9)
TOGETHER_SLICE_S: Final = 0.1
"""Beside others, however long the suite's slices are: shorter ones would be over before a compiler had begun."""
ALONE_SLICE_S: Final = 0.04
"""Alone, when compilers are done: eight of them show a trend as well as eight longer ones."""
COMPILING_SHARE: Final = 0.1
"""Share of a slice, including its lead-in; a method that is compiled in less than that is a small one."""
COMPILERS_NEED: Final = 2
"""Processors that a process takes while it warms up, if it has compilers with threads of their own."""
MOST_IN_A_LAP: Final = 3
"""How many slices a client may run in a lap if its compilers are at work; the last counts, whatever they do in it."""

Guarded = Callable[[Participant, Callable[[], None]], None]
"""Runs a step for a participant; if it fails, the participant is not active any more."""


def first_command(number: int, commands: int) -> int:
    """Return where slice `number` begins in a workload of `commands` commands: the same for all clients of a lap."""
    return int(number * GOLDEN % 1 * commands)


def kept_slice(participant: Participant, number: int, rate: float | None = None) -> Work:
    """Return the work of slice `number`, counted over all rounds; all compared clients begin at the same command.

    `rate` is that of the slice, in commands per second, where the client's own is looked for.
    """
    cell, arrivals = participant.trial.cell, participant.context.arrivals
    slice_s = slice_s_of(participant.context.settings, cell, rate)
    if cell.shape.rate is None or arrivals is None:
        return _work(participant, number, _duration_ns(participant, slice_s))
    return _open_work(participant, number, slice_s, arrivals, _schedule(cell.shape.rate, rate))


def _work(participant: Participant, number: int, ns: int) -> Work:
    return Work(
        first=first_command(number, participant.workload.commands),
        lead_in_ns=round(participant.context.settings.lead_in_s * 1e9),
        ns=ns,
        keep=True,
    )


def _schedule(own: str, rate: float | None) -> RateSchedule:
    return parsed(own) if rate is None else RateSchedule((Step(rate, rate, None),))


def _open_work(
    participant: Participant, number: int, slice_s: float, arrivals: ArrivalFiles, schedule: RateSchedule
) -> Work:
    cell, work = participant.trial.cell, _work(participant, number, round(slice_s * 1e9))
    per_unit = commands_per_unit(cell.scenario, cell.shape)
    return arrivals.work(work, schedule, per_unit, asleep=participant.waits_asleep)


def must_repeat(participant: Participant, lap: int) -> bool:
    """Return whether the slice that has just ended in a lap must be repeated because compilers were at work in it.

    Without a warm-up, compiling is part of what the user asked to measure.
    """
    last = participant.turns[-1]
    worked = sum(turn.lap == lap for turn in participant.turns)
    wants_warm = participant.context.settings.warmup_limit_s > 0
    most_ns = COMPILING_SHARE * (last.work.lead_in_ns + last.work.ns)
    return wants_warm and worked < MOST_IN_A_LAP and (last.compiling_ns or 0) > most_ns


def warm_up_together(participants: Sequence[Participant], at_once: int, guarded: Guarded) -> None:
    """Let trials work beside each other until their compilers are idle, on `at_once` processors.

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
    log, readings = WarmUpLog(), deque([participant.threads_ns()], maxlen=LOOKED_AT + 1)
    compiled_ns = participant.compiling_ns()
    while not log.rates or (earlier.work_s + log.work_s < limit_s and not log.is_steady):
        work = _warm_up_work(participant, ALONE_SLICE_S, earlier.slices + len(log.rates), led_in=not log.rates)
        answers = participant.work(work)
        readings.append(participant.threads_ns())
        compiled_before_ns, compiled_ns = compiled_ns, participant.compiling_ns()
        _learn(participant, log, work, answers, more_ns(compiled_before_ns, compiled_ns))
    participant.warm_up = WarmUp(
        slices=earlier.slices + len(log.rates),
        work_s=earlier.work_s + log.work_s,
        together_s=earlier.work_s,
        is_steady=log.is_steady,
        compiling_percent=log.compiling_percent,
        is_apart_from_server=keep_off_server(participant, readings[0]),  # by its last slices: earlier ones load
    )


def warm_up_open(participant: Participant) -> None:
    """Let a trial whose units have due times work in such slices, until its compilers are idle: its loop is another.

    Where rates are looked for, that is the lowest of them.
    """
    rate, arrivals = participant.trial.cell.shape.rate, participant.context.arrivals
    if rate is None or arrivals is None or participant.warm_up is None:
        return
    log, compiled_ns, before = WarmUpLog(), participant.compiling_ns(), participant.warm_up
    limit_s = participant.context.settings.warmup_limit_s
    lowest = first_rate(participant.closed_rps) if goal_of(rate) else None
    slice_s = warming_slice_s(participant.context.settings, participant.trial.cell, lowest)
    schedule = _schedule(rate, lowest)
    while not log.is_compiled and before.work_s + log.work_s < limit_s:
        asked = _open_work(participant, before.slices + len(log.rates), slice_s, arrivals, schedule)
        work = begins_at(asked.model_copy(update={"keep": False}), participant.context.clock())
        answers = participant.work(work)
        compiled_before_ns, compiled_ns = compiled_ns, participant.compiling_ns()
        work_s = (work.lead_in_ns + work.ns) / 1e9
        log.add(*_rate_and_cost(participant, answers), work_s, more_ns(compiled_before_ns, compiled_ns))
    slices, work_s = before.slices + len(log.rates), before.work_s + log.work_s
    participant.warm_up = before.model_copy(update={"slices": slices, "work_s": work_s})


@dataclass
class _Together:
    """A trial that warms up beside others: a slice begins, and ends, at the same time for all that work at once."""

    participant: Participant
    log: WarmUpLog = field(default_factory=WarmUpLog)
    _compiled_ns: int | None = None
    _work: Work | None = None

    def __post_init__(self) -> None:
        self._compiled_ns = self.participant.compiling_ns()

    @property
    def has_compilers(self) -> bool:
        return self._compiled_ns is not None

    @property
    def is_done(self) -> bool:
        """Return whether its compilers are idle, or the limit leaves only the time to judge it alone."""
        left_s = self.participant.context.settings.warmup_limit_s - self.log.work_s
        return self.log.is_compiled or left_s <= LOOKED_AT * ALONE_SLICE_S

    def begin(self) -> None:
        if not self.is_done:
            self._work = _warm_up_work(self.participant, TOGETHER_SLICE_S, len(self.log.rates))
            self.participant.begin(self._work)

    def end(self) -> None:
        if self._work is None:
            return
        answers = self.participant.answers(self._work)
        before_ns, self._compiled_ns = self._compiled_ns, self.participant.compiling_ns()
        _learn(self.participant, self.log, self._work, answers, more_ns(before_ns, self._compiled_ns))
        self._work = None
        self.participant.warm_up = WarmUp(
            slices=len(self.log.rates), work_s=self.log.work_s, together_s=self.log.work_s, is_steady=False
        )


def _warm_up_work(participant: Participant, slice_s: float, number: int, *, led_in: bool = False) -> Work:
    return Work(
        first=first_command(number, participant.workload.commands),
        lead_in_ns=round(participant.context.settings.lead_in_s * 1e9) if led_in else 0,
        ns=_duration_ns(participant, slice_s),
        keep=False,
    )


def _learn(
    participant: Participant, log: WarmUpLog, work: Work, answers: tuple[Worked, ...], compiled_ns: int | None
) -> None:
    rate, cost = _rate_and_cost(participant, answers)
    log.add(rate, cost, (work.lead_in_ns + work.ns) / 1e9, compiled_ns)
    participant.closed_rps = rate
    participant.unit_ns = max(one.elapsed_ns // max(1, sum(one.measured)) for one in answers)


def _rate_and_cost(participant: Participant, answers: tuple[Worked, ...]) -> tuple[float, float]:
    """Return commands per second, and CPU time per command in ns."""
    per_unit = commands_per_unit(participant.trial.cell.scenario, participant.trial.cell.shape)
    rate = per_unit * sum(sum(one.measured) / max(1, one.elapsed_ns) * 1e9 for one in answers)
    return rate, sum(one.cpu_ns for one in answers) / max(1, per_unit * sum(one.units for one in answers))


def _processes(working: Sequence[_Together]) -> int:
    """Return how many processors they need: compilers that have none of their own leave slow code at work for long."""
    return sum(len(one.participant.processes) * (COMPILERS_NEED if one.has_compilers else 1) for one in working)


def keep_off_server(participant: Participant, before: dict[int, int] | None) -> bool:
    """Keep a client off the server's CPU if one thread does its work; return whether it is now.

    If the client was never measured, the time since `before` in the first round of a cell decides for all others.
    """
    cell = participant.trial.cell
    # A driver works in processes of its own, which stay where the one that starts them is put.
    found = busiest(before, participant.threads_ns()) if len(participant.processes) == 1 else None
    known = participant.context.one_thread.works_alone(cell.client, cell.scenario)
    if known is None:
        known = participant.state.off_core.get(cell.id, found is not None and found.works_alone)
    server = participant.server.target.pid
    if not known or found is None or server is None:
        return False
    return participant.processes[0].keep_off(found.thread, server)


def _duration_ns(participant: Participant, asked_s: float) -> int:
    if waits_s_of(
        participant.context.settings, participant.trial.cell
    ):  # its units are long however fast the client is
        return round(asked_s * 1e9)
    return max(round(asked_s * 1e9), min(LONGEST_SLICE_NS, LEAST_UNITS * participant.unit_ns))
