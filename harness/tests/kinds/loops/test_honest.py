"""Any honest history counts, and with any one of its counts changed it does not."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.lines import Moment, Work
from respmark.contract.trial import Scenario
from respmark.kinds.loops.check import HANDSHAKE_BYTES, INFO_BYTES, JudgedSlice, mismatches, sort_calls
from respmark.kinds.loops.expectation import Expectations, Segment
from respmark.servers.info import Calls
from tests.builders.plan import tiny_workload
from tests.fake_node import FakeNode
from tests.kinds.loops.make_evidence import SECOND_NS, make_evidence, make_worked

WORKLOAD: Final = tiny_workload()
EXPECTATIONS: Final = Expectations(WORKLOAD)
FRAME_BYTES: Final = len(b"*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n")


@st.composite
def histories(draw: st.DrawFn) -> JudgedSlice:
    """Return a slice of one or more processes, in which some connections were opened, and some asked for a PONG."""
    scenario, depth = draw(st.sampled_from([(Scenario.SYNC, 1), (Scenario.TRANSACTION, 3)]))
    units = draw(st.lists(st.integers(1, 200), min_size=1, max_size=3))
    segments = [Segment(draw(st.integers(0, 500)), depth * count) for count in units]
    server = FakeNode()
    for segment in segments:
        server.perform(WORKLOAD, segment)
    if scenario is Scenario.TRANSACTION:
        server.calls |= {"multi": sum(units), "exec": sum(units)}
        server.counters["total_net_input_bytes"] += FRAME_BYTES * sum(units)
    received, there = draw(st.integers(0, 5)), draw(st.integers(1, 5))
    server.calls |= {"hello": received, "client|setinfo": received * draw(st.integers(0, 4))}
    server.calls["ping"] = draw(st.integers(0, there))
    more_bytes = INFO_BYTES + HANDSHAKE_BYTES * (received + there)
    counters, expected = server.counters, EXPECTATIONS.of(scenario, segments, sum(units))
    evidence = make_evidence(
        connections=there,
        connections_received=received,
        hits=counters["keyspace_hits"],
        misses=counters["keyspace_misses"],
        input_bytes=counters["total_net_input_bytes"] + draw(st.integers(0, more_bytes)),
    )
    calls = {name: Calls(count) for name, count in server.calls.items() if count}
    return JudgedSlice(
        work=Work(first=0, ns=SECOND_NS, keep=True),
        answers=[make_worked(count) for count in units],
        sampled=sum(units),
        opened=0,
        expected=expected,
        evidence=evidence,
        calls=sort_calls(calls, expected.calls, frozenset({"ping"})),
    )


def calls(judged: JudgedSlice, **changed: Calls) -> JudgedSlice:
    return replace(judged, calls=replace(judged.calls, workload=judged.calls.workload | changed))


def seen(judged: JudgedSlice, name: str) -> Calls:
    return judged.calls.workload.get(name, Calls(0))


def counted(judged: JudgedSlice, name: str, by: int) -> JudgedSlice:
    return replace(judged, evidence=replace(judged.evidence, **{name: getattr(judged.evidence, name) + by}))


def answered(judged: JudgedSlice, **changed: object) -> JudgedSlice:
    first, *others = judged.answers
    return replace(judged, answers=[first.model_copy(update=changed), *others])


LIES: Final[dict[str, Callable[[JudgedSlice, int], JudgedSlice]]] = {
    "a command more or fewer": lambda one, by: calls(one, get=Calls(seen(one, "get").calls + by)),
    "a command for another": lambda one, by: calls(
        one, get=Calls(seen(one, "get").calls + by), set=Calls(seen(one, "set").calls - by)
    ),
    "an error reply": lambda one, _: calls(one, get=seen(one, "get")._replace(failed=1)),
    "a command that was refused": lambda one, _: calls(one, set=seen(one, "set")._replace(rejected=1)),
    "a hit more or fewer": lambda one, by: counted(one, "hits", by),
    "a miss more or fewer": lambda one, by: counted(one, "misses", by),
    "an evicted key": lambda one, _: counted(one, "evicted_keys", 1),
    "an expired key": lambda one, _: counted(one, "expired_keys", 1),
    "a byte too few": lambda one, _: counted(
        one, "input_bytes", (one.expected.input_bytes or 0) - 1 - (one.evidence.input_bytes or 0)
    ),
    "a latency more or fewer": lambda one, by: replace(one, sampled=(one.sampled or 0) + by),
    "a failed unit": lambda one, _: answered(one, errors={"Timeout": 1}),
    "a nanosecond too short": lambda one, _: answered(one, ended=Moment(2 * SECOND_NS - 1, 0, 0)),
    "a process that did nothing": lambda one, _: replace(one, answers=[*one.answers, make_worked(0)]),
    "commands of somebody else": lambda one, _: replace(
        one, calls=replace(one.calls, others={"keys": 2 * one.evidence.connections + 1})
    ),
    "more handshakes than connections": lambda one, _: replace(
        one, calls=replace(one.calls, setup={"client|list": 2000})
    ),
}


@given(histories())
def test_an_honest_history_is_never_refused(judged: JudgedSlice) -> None:
    assert mismatches(judged) is None


@given(histories(), st.sampled_from(sorted(LIES)), st.sampled_from([-1, 1]))
def test_with_any_one_count_changed_it_is_refused(judged: JudgedSlice, lie: str, by: int) -> None:
    assert mismatches(LIES[lie](judged, by)) is not None
