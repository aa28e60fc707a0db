"""What callers saw, from logs whose outcome is known."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.kinds.faults.history import SECOND_NS, History, Moments, ProcessLog, Sample, Unit, Watched, writes_of
from respmark.kinds.faults.record import Wait

MS: Final = 1_000_000
MOMENTS: Final = Moments(begun=0, warm=SECOND_NS, fault=3 * SECOND_NS, mended=5 * SECOND_NS, ended=20 * SECOND_NS)


class Counting:
    """Every command is an INCR; a reply is how many of its caller's were executed."""

    def is_increment(self, _unit: Unit) -> bool:
        return True

    def is_right(self, unit: Unit) -> bool:
        return isinstance(unit.reply, int)

    def executed(self, unit: Unit) -> int | None:
        return unit.reply if isinstance(unit.reply, int) else None


def lines(*found: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in found)


def unit(due_s: float, ended_s: float | None, began_s: float | None = None, **fields: Any) -> Unit:  # noqa: ANN401 - its fields
    """Return a command of caller 0 that began when it was due."""
    ended_ns = None if ended_s is None else round(ended_s * SECOND_NS)
    began_ns = round((due_s if began_s is None else began_s) * SECOND_NS)
    return Unit(
        round(due_s * SECOND_NS), **{"caller": 0, "began_ns": began_ns, "ended_ns": ended_ns, "reply": 1, **fields}
    )


def steady(until_s: float, but: Iterable[Unit] = (), every_s: float = 0.05, from_s: float = 0.0) -> list[Unit]:
    """Return commands that succeed within 1 ms, but for these, which take the place of those due at the same time."""
    others = {one.due_ns: one for one in but}
    count = round((until_s - from_s) / every_s)
    usual = (unit(due := from_s + number * every_s, due + 0.001) for number in range(count))
    return [others.get(one.due_ns, one) for one in usual]


def seen(units: Sequence[Unit], **moments: int | None) -> History:
    return History(sorted(units, key=lambda one: one.due_ns), replace(MOMENTS, **moments))  # type: ignore[arg-type]


def test_a_log_may_be_read_while_it_grows() -> None:
    """A line that was cut off is left for later; units that nobody has taken by then are due all the same."""
    log = ProcessLog([10, 20, 30, 40], first_caller=4)
    content = lines(
        {"unit": 0, "walker": 1, "began": 11},
        {"unit": 1, "walker": 0, "began": 21},
        {"unit": 0, "walker": 1, "ended": 15, "reply": {"bytes": "eA=="}},
        {"unit": 1, "walker": 0, "ended": 29, "error": "TimeoutError", "text": "no reply"},
        {"unit": 2, "walker": 1, "began": 31},
        {"closed": 99},
    )
    log.add(content[:50])
    log.add(content[50:-12])
    first, second, third, fourth = log.units(until_ns=41)
    assert (first.caller, first.number, first.ended_ns, first.reply) == (5, 0, 15, {"bytes": "eA=="})
    assert (second.caller, second.number, second.error, second.text) == (4, 0, "TimeoutError", "no reply")
    assert (third.caller, third.number, third.ended_ns) == (5, 1, None)
    assert (fourth.caller, fourth.began_ns) == (-1, None)
    assert (log.closed_ns, log.taken) == (None, len(content) - 12)
    log.add(content[-12:])
    assert log.closed_ns == 99
    assert len(list(log.units(until_ns=31))) == 3


def test_waits_count_from_the_call_and_from_when_it_was_due() -> None:
    """Of the commands that were under way or due while the fault lasted: neither before nor after it."""
    before, during = unit(2.0, 2.9), unit(2.5, 4.0)
    queued, after = unit(4.5, 6.0, began_s=5.5), unit(5.5, 9.0)
    history = seen([before, during, queued, after])
    assert history.longest_wait(lambda one: one.began_ns) == Wait(s=1.5)
    assert history.longest_wait(lambda one: one.due_ns) == Wait(s=1.5)
    assert seen([before, queued, after]).longest_wait(lambda one: one.began_ns) == Wait(s=0.5)
    assert seen([before, after]).longest_wait(lambda one: one.began_ns) == Wait(s=0)


@pytest.mark.parametrize("moments", [{"mended": None}, {"mended": MOMENTS.fault}])
def test_where_a_fault_has_no_end_all_that_comes_after_it_is_befallen(moments: dict[str, int | None]) -> None:
    history = seen([unit(2.0, 2.9), unit(8.0, 9.0)], **moments)
    assert history.longest_wait(lambda one: one.began_ns) == Wait(s=1.0)


def test_who_still_waits_in_the_end_has_waited_longer() -> None:
    """Even a command that nobody has taken was due."""
    history = seen([unit(4.0, None), Unit(round(3.5 * SECOND_NS))])
    assert history.longest_wait(lambda one: one.began_ns) == Wait(s=16.0, is_over=False)
    assert history.longest_wait(lambda one: one.due_ns) == Wait(s=16.5, is_over=False)


def test_success_is_that_of_the_first_and_of_the_last_caller() -> None:
    units = [unit(1, 1.1), unit(1, 1.1, caller=1), unit(4, 5.2), unit(4, 4.5), unit(5.5, 7.0, caller=1)]
    history = seen(units)
    assert history.success(min) == Wait(s=0.2)
    assert history.success(max) == Wait(s=2.0)
    never = seen([*units, unit(1, 1.1, caller=2), unit(6, 7, caller=2, error="E")])
    assert never.success(max) == Wait(s=15.0, is_over=False)
    assert seen(units, mended=None).success(min) == Wait(s=1.5)


def test_recovered_is_the_first_second_in_which_all_is_in_time() -> None:
    """One late command of twenty is too many; errors are not in time either."""
    slow, failed = unit(6.0, 6.4), unit(6.5, 6.5, error="E")
    assert seen(steady(20)).recovered() == Wait(s=0)
    assert seen(steady(20, [slow])).recovered() == Wait(s=0)
    assert seen(steady(20, [unit(5.5, 5.9)])).recovered() == Wait(s=0.55)
    assert seen(steady(20, [unit(5.5, 5.79)])).recovered() == Wait(s=0)
    assert seen(steady(20, [unit(5.95, 6.4), failed])).recovered() == Wait(s=1.55)
    assert seen(steady(20), ended=6 * SECOND_NS).recovered() == Wait(s=1.0, is_over=False)


def test_in_time_is_twice_the_healthy_p99_if_that_is_longer() -> None:
    """A client that was slow before the fault need not be faster after it."""
    units = [unit(second + place / 20, second + place / 20 + 0.4) for second in range(20) for place in range(20)]
    history = seen(units)
    assert history.healthy_p99_ns == 400 * MS
    assert history.recovered() == Wait(s=0)


def test_what_was_under_way_when_the_fault_began_does_not_make_the_client_slow() -> None:
    assert seen(steady(20, [unit(2.95, 4.9)])).healthy_p99_ns < 2 * MS


def test_all_is_well_once_a_second_was_and_every_caller_had_a_reply() -> None:
    """As logs grow, each command is looked at once; what is due in several processes is in one order."""
    due = [range(2 * SECOND_NS + offset, 20 * SECOND_NS, 100 * MS) for offset in (0, 50 * MS)]
    logs = [ProcessLog(list(each), first_caller=number) for number, each in enumerate(due)]
    watched = Watched(logs, MOMENTS)

    def goes_on(log: ProcessLog, until_s: float, error: str | None = None) -> None:
        done = {number for number, due_ns in enumerate(log.due_ns) if due_ns < until_s * SECOND_NS} - log_numbers(log)
        for number in sorted(done):
            at_ns = log.due_ns[number]
            how = {"reply": 1} if error is None else {"error": error, "text": ""}
            log.add(lines({"unit": number, "walker": 0, "began": at_ns}, {"unit": number, "ended": at_ns + MS, **how}))

    first, second = logs
    goes_on(first, 8)
    goes_on(second, 6, error="E")
    assert not watched.is_all_well(8 * SECOND_NS)
    goes_on(second, 7)
    goes_on(first, 9)
    goes_on(second, 7.2)
    assert not watched.is_all_well(round(7.2 * SECOND_NS))
    goes_on(second, 9)
    assert watched.is_all_well(9 * SECOND_NS)


def log_numbers(log: ProcessLog) -> set[int]:
    return {number for number in range(len(log.due_ns)) if log.unit(number).began_ns is not None}


def test_commands_that_begin_when_the_fault_is_over_and_fail_are_counted() -> None:
    units = [unit(4.9, 5.1, error="E"), unit(5.2, 5.3, error="E"), unit(4.0, 5.5, began_s=5.4, error="E"), unit(6, 6.1)]
    assert seen(units).figures([Sample(0, [4])], Counting()).failed_afresh == 2


def test_errors_are_counted_by_class_and_by_when_they_came() -> None:
    units = [
        unit(1, 1.1, error="TimeoutError", text="early"),
        unit(3.5, 4.5, error="TimeoutError", text="late"),
        unit(3.6, 5.5, error="TimeoutError"),
        unit(4, 4.1, error="ConnectionError", text="reset"),
    ]
    first, second = seen(units).errors()
    assert (first.error, first.text, first.before, first.during, first.after) == ("TimeoutError", "early", 1, 1, 1)
    assert (second.error, second.text, second.before, second.during, second.after) == (
        "ConnectionError",
        "reset",
        0,
        1,
        0,
    )


def test_every_second_says_what_was_due_in_it_and_what_came() -> None:
    units = [unit(0, 0.1), unit(0.5, 1.5), unit(1.5, 1.6), unit(1.6, None), unit(2.7, 3.8, error="E")]
    history = seen(units, ended=3 * SECOND_NS)
    assert [(one.due, one.succeeded, one.failed) for one in history.seconds()] == [(2, 1, 0), (2, 2, 0), (1, 0, 1)]


def test_a_write_that_was_acknowledged_and_is_not_there_is_lost() -> None:
    sent = [unit(number, number + 0.1, number=number, reply=number + 1) for number in range(3)]
    found = writes_of(sent, [Sample(9 * SECOND_NS, [2])], Counting().executed)
    assert (found.sent, found.acknowledged, found.lost, found.doubled) == (3, 3, 1, 0)


def test_a_reply_of_another_caller_is_wrong_and_counts_nothing() -> None:
    units = [unit(1, 1.1, reply=1), unit(2, 2.1, number=1, reply="another's")]
    figures = seen(units).figures([Sample(9 * SECOND_NS, [2])], Counting())
    assert (figures.wrong, figures.writes.doubled, figures.writes.lost) == (1, 0, 0)


def test_a_write_is_late_if_nothing_under_way_explains_it() -> None:
    """It was executed after its caller had been told that it failed, and by how much the last look says."""
    sent = [
        unit(1, 2, number=0, error="E"),
        unit(2, 3, number=1, error="E"),
        unit(4, 4.1, number=2, reply=1),
        unit(6.9, 7.2, number=3, reply=4),
    ]
    samples = [Sample(round(at * SECOND_NS), [value]) for at, value in [(0.5, 0), (3.5, 0), (5, 1), (7, 3), (8, 4)]]
    found = writes_of(sent, samples, Counting().executed)
    assert (found.late, found.late_s, found.doubled, found.lost, found.unacknowledged) == (1, 3.0, 0, 0, 2)


@dataclass(frozen=True)
class Sent:
    """What really became of an INCR."""

    is_acknowledged: bool
    executed: int


OUTCOMES: Final = st.sampled_from([Sent(True, 1), Sent(True, 2), Sent(False, 0), Sent(False, 1), Sent(False, 2)])  # noqa: FBT003


@given(st.lists(st.lists(OUTCOMES, max_size=12), min_size=1, max_size=4))
def test_no_more_is_claimed_than_happened(callers: list[list[Sent]]) -> None:
    """Nothing is lost, nothing is doubled that was not, and all is found where no failed write hides another one."""
    sent, ends = [], []
    for caller, commands in enumerate(callers):
        executed = 0
        for number, one in enumerate(commands):
            executed += one.executed
            error = None if one.is_acknowledged else "E"
            sent.append(unit(number, number + 0.5, caller=caller, number=number, reply=executed, error=error))
        ends.append(executed)
    found = writes_of(sent, [Sample(99 * SECOND_NS, ends)], Counting().executed)
    every = [one for commands in callers for one in commands]
    doubled = sum(max(0, one.executed - 1) for one in every)
    unacknowledged = sum(one.executed > 0 and not one.is_acknowledged for one in every)
    assert (found.sent, found.acknowledged) == (len(every), sum(one.is_acknowledged for one in every))
    assert found.lost == 0
    assert found.doubled <= doubled
    assert found.doubled + found.unacknowledged <= doubled + unacknowledged
    if all(one.executed for one in every):
        assert (found.doubled, found.unacknowledged) == (doubled, unacknowledged)


@given(st.lists(st.tuples(st.floats(0, 19), st.floats(0, 30), st.booleans()), max_size=60))
def test_figures_agree_with_each_other(commands: list[tuple[float, float, bool]]) -> None:
    """What is perceived is never shorter than what was waited, and the seconds have every command once."""
    units = [
        unit(due_s, due_s + took_s if due_s + took_s < 20 else None, number=number, error=None if is_well else "E")
        for number, (due_s, took_s, is_well) in enumerate(commands)
    ]
    units = [replace(one, error=None) if one.ended_ns is None else one for one in units]
    history = seen(units)
    figures = history.figures([Sample(99 * SECOND_NS, [len(units)])], Counting())
    assert figures.perceived_wait.s >= figures.longest_wait.s
    assert figures.first_success.s <= figures.last_success.s
    assert sum(one.due for one in figures.seconds) == len(units)
    assert sum(one.succeeded for one in figures.seconds) == figures.writes.acknowledged
    assert sum(one.failed for one in figures.seconds) == sum(
        one.before + one.during + one.after for one in figures.errors
    )
