"""Warms trials up, by one rule for every language: first beside each other, then each alone until it is steady.

Throughput and CPU time per command are not enough to judge by. While a compiler is busy, both may be stable for a
second, at four times the CPU time and two thirds of the throughput that follow (docs/statistics.md has figures).
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Final

from respmark.contract.lines import Work, Worked
from respmark.contract.rate import goal_of
from respmark.kinds.loops.arrivals import begins_at
from respmark.kinds.loops.duration import LEAST_TOGETHER, warming_slice_s
from respmark.kinds.loops.loop import Loop
from respmark.kinds.loops.off_core import keep_off_server
from respmark.kinds.loops.record import WarmUp
from respmark.kinds.loops.search import first_rate
from respmark.kinds.loops.work import closed_work, open_work, schedule_of
from respmark.machine.kernel import more_ns
from respmark.run.state import RunState
from respmark.specs.scenario import commands_per_unit

TOGETHER_SLICE_S: Final = 0.1
"""Beside others, however long the suite's slices are: shorter ones would be over before a compiler had begun."""
ALONE_SLICE_S: Final = 0.04
"""Alone, when compilers are done: eight of them show a trend as well as eight longer ones."""
COMPILERS_NEED: Final = 2
"""Processors that a process takes while it warms up, if it has compilers with threads of their own."""
LOOKED_AT: Final = 8
"""How many slices alone, the last ones, must show no trend in throughput and in CPU time per command."""
TREND: Final = 14
"""Kendall's S over 8 values: 11 in 100 series without a trend reach it (Kendall, Rank Correlation Methods, 1955)."""
COMPILING_PERCENT: Final = 5.0
"""Compilers that use less than this in the last slices are done: what they still compile is rarely used."""


@dataclass
class WarmUpLog:
    """What the slices of a warm-up showed: those beside others, or those alone."""

    rates: list[float] = field(default_factory=list)
    """Commands per second, by slice."""
    costs: list[float] = field(default_factory=list)
    """CPU time per command in ns, by slice."""
    compiling: list[float] = field(default_factory=list)
    """CPU time of just-in-time compilers in percent of the slice's time, by slice; empty if not counted."""
    work_s: float = 0.0

    def add(self, rate: float, cost: float, work_s: float, compiling_ns: int | None = None) -> None:
        """Add one slice."""
        self.rates.append(rate)
        self.costs.append(cost)
        self.work_s += work_s
        if compiling_ns is not None:
            self.compiling.append(compiling_ns / work_s / 1e7)

    @property
    def compiling_percent(self) -> float | None:
        """Return the CPU time of compilers in the last slices, in percent of their time; None if not counted."""
        return fmean(self.compiling[-LOOKED_AT:]) if self.compiling else None

    @property
    def is_compiled(self) -> bool:
        """Return whether it has worked a little and its compilers are idle: beside others, nothing else can be told."""
        busy = self.compiling[-LEAST_TOGETHER:]
        return len(self.rates) >= LEAST_TOGETHER and (fmean(busy) if busy else 0.0) <= COMPILING_PERCENT

    @property
    def is_steady(self) -> bool:
        """Return whether the last slices show no trend in throughput or CPU time per command, and no busy compilers."""
        if len(self.rates) < LOOKED_AT or (self.compiling_percent or 0.0) > COMPILING_PERCENT:
            return False
        return not any(has_trend(series[-LOOKED_AT:]) for series in (self.rates, self.costs))


def has_trend(values: Sequence[float]) -> bool:
    """Return whether 8 values rise or fall more consistently than chance explains (Mann-Kendall)."""
    return abs(sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))) >= TREND


Guarded = Callable[[Loop], AbstractContextManager[None]]
"""What a loop does within is guarded: if it fails, it is left out from then on."""


def warm_up_together(loops: Sequence[Loop], at_once: int, guarded: Guarded, is_active: Callable[[Loop], bool]) -> None:
    """Let trials work beside each other until their compilers are idle, on `at_once` processors.

    Nothing of it is measured: a processor that one of them leaves idle may serve another. Those whose compilers have
    threads of their own need the longest, and begin.
    """
    waiting = deque(sorted(map(_Together, loops), key=lambda one: not one.has_compilers))
    working: list[_Together] = []
    while waiting or working:
        while waiting and (not working or _processes([*working, waiting[0]]) <= at_once):
            working.append(waiting.popleft())
        for one in working:
            with guarded(one.loop):
                one.begin()
        for one in working:
            if is_active(one.loop):
                with guarded(one.loop):
                    one.end()
        working = [one for one in working if is_active(one.loop) and not one.is_done]


def warm_up_alone(loop: Loop, state: RunState) -> None:
    """Let a trial work alone until it is steady, or until its limit is reached; then keep it off the server's CPU.

    Only the first slice has a lead-in: the process was idle before it.
    """
    processes = loop.processes
    limit_s = processes.bed.settings.warmup_limit_s
    earlier = loop.warm_up or WarmUp(slices=0, work_s=0.0, is_steady=False)
    log, readings = WarmUpLog(), deque([processes.threads_ns()], maxlen=LOOKED_AT + 1)
    compiled_ns = processes.compiling_ns()
    while not log.rates or (earlier.work_s + log.work_s < limit_s and not log.is_steady):
        number = earlier.slices + len(log.rates)
        work = closed_work(loop, number, ALONE_SLICE_S, led_in=not log.rates, keep=False)
        answers = loop.work(work)
        readings.append(processes.threads_ns())
        compiled_before_ns, compiled_ns = compiled_ns, processes.compiling_ns()
        _learn(loop, log, work, answers, more_ns(compiled_before_ns, compiled_ns))
    loop.warm_up = WarmUp(
        slices=earlier.slices + len(log.rates),
        work_s=earlier.work_s + log.work_s,
        together_s=earlier.work_s,
        is_steady=log.is_steady,
        compiling_percent=log.compiling_percent,
        is_apart_from_server=keep_off_server(processes, state, readings[0]),  # by its last slices: earlier ones load
    )


def warm_up_open(loop: Loop) -> None:
    """Let a trial whose units have due times work in such slices, until its compilers are idle: its loop is another.

    Where rates are looked for, that is the lowest of them.
    """
    processes, rate, before = loop.processes, loop.cell.shape.rate, loop.warm_up
    if rate is None or before is None:
        return
    log, compiled_ns, settings = WarmUpLog(), processes.compiling_ns(), processes.bed.settings
    lowest = first_rate(loop.closed_rps) if goal_of(rate) else None
    slice_s, schedule = warming_slice_s(settings, loop.cell, lowest), schedule_of(rate, lowest)
    while not log.is_compiled and before.work_s + log.work_s < settings.warmup_limit_s:
        asked = open_work(loop, before.slices + len(log.rates), slice_s, schedule, keep=False)
        work = begins_at(asked, processes.bed.clock())
        answers = loop.work(work)
        compiled_before_ns, compiled_ns = compiled_ns, processes.compiling_ns()
        work_s = (work.lead_in_ns + work.ns) / 1e9
        log.add(*_rate_and_cost(loop, answers), work_s, more_ns(compiled_before_ns, compiled_ns))
    slices, work_s = before.slices + len(log.rates), before.work_s + log.work_s
    loop.warm_up = before.model_copy(update={"slices": slices, "work_s": work_s})


@dataclass
class _Together:
    """A trial that warms up beside others: a slice begins, and ends, at the same time for all that work at once."""

    loop: Loop
    log: WarmUpLog = field(default_factory=WarmUpLog)
    _compiled_ns: int | None = None
    _work: Work | None = None

    def __post_init__(self) -> None:
        self._compiled_ns = self.loop.processes.compiling_ns()

    @property
    def has_compilers(self) -> bool:
        return self._compiled_ns is not None

    @property
    def is_done(self) -> bool:
        """Return whether its compilers are idle, or the limit leaves only the time to judge it alone."""
        left_s = self.loop.processes.bed.settings.warmup_limit_s - self.log.work_s
        return self.log.is_compiled or left_s <= LOOKED_AT * ALONE_SLICE_S

    def begin(self) -> None:
        if not self.is_done:
            self._work = closed_work(self.loop, len(self.log.rates), TOGETHER_SLICE_S, led_in=False, keep=False)
            self.loop.begin(self._work)

    def end(self) -> None:
        if self._work is None:
            return
        answers = self.loop.answers(self._work)
        before_ns, self._compiled_ns = self._compiled_ns, self.loop.processes.compiling_ns()
        _learn(self.loop, self.log, self._work, answers, more_ns(before_ns, self._compiled_ns))
        self._work = None
        self.loop.warm_up = WarmUp(
            slices=len(self.log.rates), work_s=self.log.work_s, together_s=self.log.work_s, is_steady=False
        )


def _learn(loop: Loop, log: WarmUpLog, work: Work, answers: tuple[Worked, ...], compiled_ns: int | None) -> None:
    rate, cost = _rate_and_cost(loop, answers)
    log.add(rate, cost, (work.lead_in_ns + work.ns) / 1e9, compiled_ns)
    loop.closed_rps = rate
    loop.unit_ns = max(one.elapsed_ns // max(1, sum(one.measured)) for one in answers)


def _rate_and_cost(loop: Loop, answers: tuple[Worked, ...]) -> tuple[float, float]:
    """Return commands per second, and CPU time per command in ns."""
    per_unit = commands_per_unit(loop.cell.scenario, loop.cell.shape)
    rate = per_unit * sum(sum(one.measured) / max(1, one.elapsed_ns) * 1e9 for one in answers)
    return rate, sum(one.cpu_ns for one in answers) / max(1, per_unit * sum(one.units for one in answers))


def _processes(working: Sequence[_Together]) -> int:
    """Return how many processors they need: compilers that have none of their own leave slow code at work for long."""
    return sum(len(one.loop.processes.runners) * (COMPILERS_NEED if one.has_compilers else 1) for one in working)
