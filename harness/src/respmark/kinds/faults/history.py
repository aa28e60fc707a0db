"""What callers saw, from the logs of their processes: a function of data."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Protocol

from respmark.kinds.faults.log import SECOND_NS, ProcessLog, Unit
from respmark.kinds.faults.record import Elsewhere, Errors, Figures, Second, Wait
from respmark.kinds.faults.writes import Replaced, Sample, writes_of

RECOVERED_SHARE: Final = 0.99
"""Of the commands that are due in a second."""
HEALTHY_TIMES: Final = 2
"""A command that takes longer than so many times the healthy p99 is not in time,"""
IN_TIME_NS: Final = 300_000_000
"""if it takes longer than this as well."""


@dataclass(frozen=True)
class Moments:
    """When what happened, in ns of CLOCK_MONOTONIC."""

    begun: int
    """The first command was due."""
    warm: int
    """From here on, all was well."""
    fault: int
    """The fault began."""
    mended: int | None
    """It ended; None: it does not end, and `fault` is what recovery counts from."""
    ended: int
    """Nobody looked any more."""

    @property
    def recovery(self) -> int:
        """Return from when on recovery counts."""
        return self.fault if self.mended is None else self.mended

    @property
    def over(self) -> int:
        """Return until when commands count as befallen: where the fault lasts no time, or for good, to the end."""
        return self.ended if self.mended is None or self.mended == self.fault else self.mended


class Sent(Protocol):
    """Knows what callers sent, and what its replies can be."""

    def is_increment(self, unit: Unit) -> bool:
        """Return whether it is an INCR."""

    def is_right(self, unit: Unit) -> bool:
        """Return whether its reply can be one to it."""

    def executed(self, unit: Unit) -> int | None:
        """Return how many of its caller's INCRs were executed by then, as the reply to one says; None: it is none."""


class Recovery:
    """Looks for a second in which 99 % of what was due succeeded in time, while logs grow: at each command once."""

    def __init__(self, due_ns: Sequence[int], limit_ns: int, unit: Callable[[int], Unit]) -> None:
        """`unit` returns what became of the command at a place of `due_ns` so far."""
        self._due_ns, self._limit_ns, self._unit = due_ns, limit_ns, unit
        self._late, self._begin = [0], 0

    def found(self, until_ns: int) -> int | None:
        """Return when the first such second began, by what is known up to then."""
        due_ns, late = self._due_ns, self._late
        while (place := len(late) - 1) < len(due_ns) and due_ns[place] + self._limit_ns <= until_ns:
            late.append(late[-1] + (not self._is_in_time(self._unit(place))))
        while self._begin < len(due_ns) and due_ns[self._begin] + SECOND_NS + self._limit_ns <= until_ns:
            end = bisect_left(due_ns, due_ns[self._begin] + SECOND_NS)
            if late[end] - late[self._begin] <= (1 - RECOVERED_SHARE) * (end - self._begin):
                return due_ns[self._begin]
            self._begin += 1
        return None

    def _is_in_time(self, unit: Unit) -> bool:
        return unit.is_success and unit.ended_ns is not None and unit.ended_ns - unit.due_ns <= self._limit_ns


class Watched:
    """Whether all is well again, while logs grow."""

    def __init__(self, logs: Sequence[ProcessLog], moments: Moments) -> None:
        """Take the logs when the fault has begun."""
        self._logs, self._since_ns = logs, moments.recovery
        order = sorted(
            (due_ns, which, number)
            for which, log in enumerate(logs)
            for number, due_ns in enumerate(log.due_ns)
            if due_ns >= moments.recovery
        )
        limit_ns = History.of(logs, replace(moments, ended=moments.fault)).in_time_ns
        self._recovery = Recovery(
            [due_ns for due_ns, _, _ in order], limit_ns, lambda place: logs[order[place][1]].unit(order[place][2])
        )

    def is_all_well(self, until_ns: int) -> bool:
        """Return whether all has recovered by then, and every caller has had a reply."""
        has_recovered = self._recovery.found(until_ns) is not None
        return has_recovered and all(log.all_had_replies(self._since_ns) for log in self._logs)


@dataclass(frozen=True)
class History:
    """All commands of a trial, in the order in which they were due."""

    units: Sequence[Unit]
    moments: Moments
    replaced: Replaced | None = None
    """The primary that was replaced; None: none was, and the fault befell every caller."""

    @classmethod
    def of(cls, logs: Iterable[ProcessLog], moments: Moments, replaced: Replaced | None = None) -> "History":
        """Return what the logs of all processes say so far; errors that came later are the end's, not the fault's."""
        units = (_as_seen(unit, moments.ended) for log in logs for unit in log.units(moments.ended))
        return cls(sorted(units, key=lambda unit: unit.due_ns), moments, replaced)

    def figures(self, samples: Sequence[Sample], sent: "Sent") -> Figures:
        """Return what callers saw; the last of `samples` is how counters were when all was over."""
        writes = [unit for unit in self.units if unit.began_ns is not None and sent.is_increment(unit)]
        return Figures(
            longest_wait=self.longest_wait(lambda unit: unit.began_ns),
            perceived_wait=self.longest_wait(lambda unit: unit.due_ns),
            first_success=self.success(min),
            last_success=self.success(max),
            recovered=self.recovered(),
            healthy_p99_s=self.healthy_p99_ns / SECOND_NS,
            errors=self.errors(),
            failed_afresh=sum(map(self._failed_afresh, self.units)),
            wrong=sum(unit.is_success and not sent.is_right(unit) for unit in self.units),
            writes=writes_of(writes, samples, sent.executed, self.replaced),
            outage=None if self.replaced is None else self.outage(),
            elsewhere=self.elsewhere(),
            seconds=self.seconds(),
        )

    def longest_wait(self, since: Callable[[Unit], int | None]) -> Wait:
        """Return the longest wait of the commands that the fault befell, of those that began by what `since` says."""
        waits = [
            ((unit.ended_ns or self.moments.ended) - began_ns, unit.ended_ns is not None)
            for unit in self.units
            if self._is_befallen(unit) and (began_ns := since(unit)) is not None
        ]
        ns, is_over = max(waits, default=(0, True))
        return Wait(s=max(0, ns) / SECOND_NS, is_over=is_over)

    def success(self, of: Callable[[Iterable[int]], int]) -> Wait:
        """Return how long it took to the first success of the first caller (`min`) or of the last one (`max`).

        Where that counts from the fault's begin, replies that were on their way then are none.
        """
        firsts: dict[int, int] = {}
        since_ns = self.moments.fault if self.moments.recovery == self.moments.fault else 0
        counted = (unit for unit in self._affected if (unit.began_ns or 0) >= since_ns)
        for unit in counted:
            if unit.is_success and unit.ended_ns is not None and unit.ended_ns >= self.moments.recovery:
                firsts[unit.caller] = min(unit.ended_ns, firsts.get(unit.caller, unit.ended_ns))
        callers = {unit.caller for unit in self._affected if unit.caller >= 0}
        if not firsts or (of is max and firsts.keys() != callers):
            return self._never
        return Wait(s=(of(firsts.values()) - self.moments.recovery) / SECOND_NS)

    def outage(self) -> Wait:
        """Return the longest time in which no caller of the primary's keys had a reply, from the fault's begin on."""
        begin_ns, end_ns = self.moments.fault, self.moments.ended
        ends = (unit.ended_ns for unit in self._affected if unit.is_success and unit.ended_ns is not None)
        edges = [begin_ns, *sorted(at_ns for at_ns in ends if begin_ns <= at_ns < end_ns), end_ns]
        ns, until_ns = max((after - before, after) for before, after in pairwise(edges))
        return Wait(s=ns / SECOND_NS, is_over=until_ns < end_ns)

    def elsewhere(self) -> Elsewhere | None:
        """Return what callers saw whose keys were not the replaced primary's; None: there was none, or it had all."""
        callers = self.replaced.callers if self.replaced else frozenset[int]()
        units = [one for one in self.units if one.caller >= 0 and one.caller not in callers]
        if self.replaced is None or not units:
            return None
        others = replace(self, units=units, replaced=None)
        failed = sum(one.during + one.after for one in others.errors())
        return Elsewhere(longest_wait=others.longest_wait(lambda unit: unit.began_ns), errors=failed)

    @property
    def healthy_p99_ns(self) -> int:
        """Return the 99th percentile from due to done, of what was done before the fault; 0 if nothing succeeded."""
        before = (unit for unit in self.units if self.moments.warm <= unit.due_ns < self.moments.fault)
        took = sorted(
            unit.ended_ns - unit.due_ns
            for unit in before
            if unit.is_success and unit.ended_ns is not None and unit.ended_ns < self.moments.fault
        )
        return took[len(took) * 99 // 100] if took else 0

    @property
    def in_time_ns(self) -> int:
        """Return how long a command may take that is in time."""
        return max(HEALTHY_TIMES * self.healthy_p99_ns, IN_TIME_NS)

    def recovered(self) -> Wait:
        """Return how long it took until a second in which 99 % of what was due succeeded in time."""
        after = [unit for unit in self.units if unit.due_ns >= self.moments.recovery]
        began_ns = Recovery([unit.due_ns for unit in after], self.in_time_ns, after.__getitem__).found(
            self.moments.ended
        )
        if began_ns is None:
            return self._never
        last = Wait(s=0.0) if self.replaced is None else self.success(max)
        return max(Wait(s=(began_ns - self.moments.recovery) / SECOND_NS), last, key=lambda one: one.s)

    def errors(self) -> list[Errors]:
        """Return the errors of each class, with the text of the first one, in the order of their first ones."""
        failed = [unit for unit in self.units if unit.error is not None and unit.ended_ns is not None]
        found: dict[str, list[Unit]] = defaultdict(list)
        for unit in sorted(failed, key=lambda unit: unit.ended_ns or 0):
            found[unit.error or ""].append(unit)
        return [self._errors(error, units) for error, units in found.items()]

    def seconds(self) -> list[Second]:
        """Return what happened in each second; what ended after the last one is counted in it."""
        count = -(-(self.moments.ended - self.moments.begun) // SECOND_NS)
        due, succeeded, failed, elsewhere = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
        for unit in self.units:
            due[(unit.due_ns - self.moments.begun) // SECOND_NS] += 1
            if unit.ended_ns is not None:
                second = min((unit.ended_ns - self.moments.begun) // SECOND_NS, count - 1)
                (succeeded if unit.error is None else failed)[second] += 1
                elsewhere[second] += unit.is_success and not self._is_affected(unit)
        return [
            Second(
                due=due[one],
                succeeded=succeeded[one],
                failed=failed[one],
                elsewhere=None if self.replaced is None else elsewhere[one],
            )
            for one in range(count)
        ]

    @property
    def _affected(self) -> Sequence[Unit]:
        """The commands of callers that the fault is about: whose keys the replaced primary had, or all."""
        return self.units if self.replaced is None else [unit for unit in self.units if self._is_affected(unit)]

    def _is_affected(self, unit: Unit) -> bool:
        return self.replaced is None or unit.caller in self.replaced.callers

    @property
    def _never(self) -> Wait:
        return Wait(s=max(0, self.moments.ended - self.moments.recovery) / SECOND_NS, is_over=False)

    def _failed_afresh(self, unit: Unit) -> bool:
        return unit.error is not None and (unit.began_ns or 0) >= self.moments.recovery

    def _is_befallen(self, unit: Unit) -> bool:
        ended_ns = self.moments.ended if unit.ended_ns is None else unit.ended_ns
        return unit.due_ns <= self.moments.over and ended_ns >= self.moments.fault

    def _errors(self, error: str, units: Sequence[Unit]) -> Errors:
        moments = [unit.ended_ns or 0 for unit in units]
        before = sum(at_ns < self.moments.fault for at_ns in moments)
        after = sum(at_ns >= self.moments.over for at_ns in moments)
        return Errors(error=error, text=units[0].text, before=before, during=len(moments) - before - after, after=after)


def _as_seen(unit: Unit, until_ns: int) -> Unit:
    is_of_the_end = unit.error is not None and unit.ended_ns is not None and unit.ended_ns > until_ns
    return replace(unit, ended_ns=None, error=None, text="") if is_of_the_end else unit
