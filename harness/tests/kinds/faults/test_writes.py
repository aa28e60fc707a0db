"""What became of writes, from outcomes that are known."""

from dataclasses import dataclass
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from respmark.kinds.faults.log import SECOND_NS
from respmark.kinds.faults.writes import Replaced, Sample, writes_of
from tests.kinds.faults.builders import Counting, unit


def test_a_write_that_was_acknowledged_and_is_not_there_is_lost() -> None:
    sent = [unit(number, number + 0.1, number=number, reply=number + 1) for number in range(3)]
    found = writes_of(sent, [Sample(9 * SECOND_NS, [2])], Counting().executed)
    assert (found.sent, found.acknowledged, found.lost, found.doubled) == (3, 3, 1, 0)


def test_what_had_not_come_to_the_replica_is_lost_by_the_server() -> None:
    """Acknowledged before its copies were read; later writes, and callers of other keys, say nothing of it."""
    sent = [unit(number, number + 0.1, number=number, reply=number + 1) for number in range(4)]
    sent += [unit(8, 8.1, number=4, reply=3), unit(2, 2.1, caller=1, reply=1)]
    replaced = Replaced(frozenset({0}), {0: 2}, 5 * SECOND_NS)
    found = writes_of(sent, [Sample(9 * SECOND_NS, [3, 1])], Counting().executed, replaced)
    assert (found.acknowledged, found.lost, found.lost_by_server) == (6, 2, 2)
    unknown = writes_of(sent, [Sample(9 * SECOND_NS, [3, 1])], Counting().executed, Replaced(frozenset({0}), {}, 0))
    assert (unknown.lost, unknown.lost_by_server) == (2, None)


def test_a_repeated_write_does_not_hide_one_that_the_server_lost() -> None:
    """Two did not come to the replica; two that failed were executed by it all the same."""
    sent = [unit(number, number + 0.1, number=number, reply=number + 1) for number in range(3)]
    sent += [unit(number, number + 0.5, number=number, error="E") for number in (6, 7)]
    replaced = Replaced(frozenset({0}), {0: 1}, 5 * SECOND_NS)
    found = writes_of(sent, [Sample(9 * SECOND_NS, [3])], Counting().executed, replaced)
    assert (found.acknowledged, found.lost, found.lost_by_server) == (3, 2, 2)


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


def test_what_was_executed_while_servers_were_asked_is_not_late() -> None:
    """It had ended when the counters were known, but is not among them: the next look has it."""
    sent = [unit(1, 2, number=0, error="E"), unit(3, 3.45, number=1, reply=1)]
    looks = [(0.5, 0), (3.5, 0), (5, 1)]
    found = writes_of(sent, [Sample(round(at * SECOND_NS), [value]) for at, value in looks], Counting().executed)
    assert found.late == 1
    asked = [Sample(round(at * SECOND_NS), [value], SECOND_NS // 10) for at, value in looks]
    assert writes_of(sent, asked, Counting().executed).late == 0


@dataclass(frozen=True)
class Sent:
    """What really became of an INCR."""

    is_acknowledged: bool
    executed: int


OUTCOMES: Final = st.sampled_from(
    [Sent(is_acknowledged, count) for is_acknowledged, least in ((True, 1), (False, 0)) for count in range(least, 3)]
)


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
