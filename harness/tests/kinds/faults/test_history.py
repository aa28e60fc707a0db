"""What callers saw, from logs whose outcome is known."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.kinds.faults.history import History, Moments, Watched
from respmark.kinds.faults.log import SECOND_NS, ProcessLog, Unit
from respmark.kinds.faults.record import Wait
from respmark.kinds.faults.writes import Replaced, Sample
from tests.kinds.faults.builders import Counting, unit

MS: Final = 1_000_000
MOMENTS: Final = Moments(begun=0, warm=SECOND_NS, fault=3 * SECOND_NS, mended=5 * SECOND_NS, ended=20 * SECOND_NS)


def lines(*found: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in found)


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


def test_errors_that_come_with_the_end_are_not_the_faults() -> None:
    """Whoever still waits is given one when its client is closed; a reply that comes by then is one."""
    log = ProcessLog([4 * SECOND_NS] * 2)
    log.add(
        lines(
            *({"unit": number, "walker": number, "began": 4 * SECOND_NS} for number in range(2)),
            {"unit": 0, "ended": 21 * SECOND_NS, "error": "E", "text": "closed"},
            {"unit": 1, "ended": 21 * SECOND_NS, "reply": 1},
        )
    )
    history = History.of([log], MOMENTS)
    assert history.errors() == []
    assert history.longest_wait(lambda one: one.began_ns) == Wait(s=17.0)
    assert [one.is_success for one in history.units] == [False, True]
    still_waits = replace(history, units=history.units[:1])
    assert still_waits.longest_wait(lambda one: one.began_ns) == Wait(s=16.0, is_over=False)


def test_success_is_that_of_the_first_and_of_the_last_caller() -> None:
    units = [unit(1, 1.1), unit(1, 1.1, caller=1), unit(4, 5.2), unit(4, 4.5), unit(5.5, 7.0, caller=1)]
    history = seen(units)
    assert history.success(min) == Wait(s=0.2)
    assert history.success(max) == Wait(s=2.0)
    never = seen([*units, unit(1, 1.1, caller=2), unit(6, 7, caller=2, error="E")])
    assert never.success(max) == Wait(s=15.0, is_over=False)
    assert seen(units, mended=None).success(min) == Wait(s=1.5)


@pytest.mark.parametrize("moments", [{"mended": None}, {"mended": MOMENTS.fault}])
def test_a_reply_that_was_on_its_way_is_no_success_after_the_fault(moments: dict[str, int | None]) -> None:
    """Where the fault has no end to count from; a fault that ends lets through what waited in it."""
    units = [unit(2.99, 3.0001), unit(6, None)]
    assert not seen(units, **moments).success(min).is_over
    assert seen([*units, unit(4, 4.5)], **moments).success(min) == Wait(s=1.5)
    assert seen([unit(4, 5.01)]).success(min) == Wait(s=0.01)


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


def test_a_reply_of_another_caller_is_wrong_and_counts_nothing() -> None:
    units = [unit(1, 1.1, reply=1), unit(2, 2.1, number=1, reply="another's")]
    figures = seen(units).figures([Sample(9 * SECOND_NS, [2])], Counting())
    assert (figures.wrong, figures.writes.doubled, figures.writes.lost) == (1, 0, 0)


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


REPLACED: Final = Replaced(frozenset({0}), {}, 0)
"""Caller 0 has keys of the primary that a replica takes the place of; others have not."""


def replacing(units: Sequence[Unit], **moments: int | None) -> History:
    return replace(seen(units, **moments), replaced=REPLACED)


def test_where_a_primary_is_replaced_success_is_that_of_the_callers_of_its_keys() -> None:
    units = [unit(1, 1.1), unit(5.1, 5.2, caller=1), unit(4, 6.5), unit(1, 1.1, caller=1)]
    history = replacing(units)
    assert (history.success(min), history.success(max)) == (Wait(s=1.5), Wait(s=1.5))
    assert seen(units).success(min) == Wait(s=0.2)


def test_an_outage_is_the_longest_time_without_a_reply_to_these_callers() -> None:
    """It is no outage that others have replies; it counts from the fault's begin, and maybe to the end."""
    units = [*steady(3.5), unit(4, 7.5), *steady(20, from_s=8.0), *(replace(one, caller=1) for one in steady(20))]
    assert replacing(units).outage() == Wait(s=4.049)
    assert replacing(steady(3)).outage() == Wait(s=17.0, is_over=False)
    assert replacing([*steady(3), unit(3.5, 4.5, error="E")]).outage() == Wait(s=17.0, is_over=False)


def test_nobody_has_recovered_while_a_caller_of_its_keys_has_had_no_reply() -> None:
    """Others are given all commands that are due meanwhile, and have their replies in time."""
    others = [replace(one, caller=1) for one in steady(20)]
    assert replacing([*others, unit(1, 1.1), unit(4.01, 9.0)]).recovered() == Wait(s=4.0)
    assert replacing([*others, unit(1, 1.1), unit(4.01, None)]).recovered() == Wait(s=15.0, is_over=False)
    assert seen([*others, unit(1, 1.1), unit(4.01, 9.0)]).recovered() == Wait(s=0.0)


def test_what_callers_elsewhere_saw_stands_apart() -> None:
    units = [
        unit(3.5, 8.0, error="E"),
        unit(4, 4.3, caller=1),
        unit(4.5, 5.0, caller=2, error="E"),
        Unit(4 * SECOND_NS),
    ]
    elsewhere = replacing(units).elsewhere()
    assert elsewhere is not None
    assert (elsewhere.longest_wait, elsewhere.errors) == (Wait(s=0.5), 1)
    assert seen(units).elsewhere() is None
    figures = replacing(units).figures([Sample(9 * SECOND_NS, [0, 1, 0])], Counting())
    assert (figures.longest_wait, figures.elsewhere) == (Wait(s=4.5), elsewhere)
    assert figures.outage is not None


def test_every_second_says_whose_replies_came() -> None:
    units = [unit(0, 0.1), unit(0.5, 0.6, caller=1), unit(0.7, 0.8, caller=1, error="E"), unit(1.5, 1.6, caller=1)]
    found = [(one.succeeded, one.failed, one.elsewhere) for one in replacing(units, ended=2 * SECOND_NS).seconds()]
    assert found == [(2, 1, 1), (1, 0, 1)]
    assert {one.elsewhere for one in seen(units, ended=2 * SECOND_NS).seconds()} == {None}
