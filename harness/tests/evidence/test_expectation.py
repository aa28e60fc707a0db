"""What the server must have counted, derived from a claim, against a count one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.events import Segment, Work
from respmark.contract.trial import Scenario
from respmark.evidence.expectation import Expectations
from respmark.workload.file import Workload
from respmark.workload.generate import generate
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from tests.builders.plan import tiny_spec, tiny_workload
from tests.builders.records import make_slice
from tests.fakes import FakeServer
from tests.properties import UNTIMED

WORKLOAD = tiny_workload()
SEGMENTS = st.lists(
    st.builds(Segment, first_command=st.integers(0, 200), operations=st.integers(0, 300)), min_size=1, max_size=4
)


def counted(workload: Workload, segments: list[Segment]) -> FakeServer:
    """Let a server count the commands one by one."""
    server = FakeServer()
    for segment in segments:
        server.perform(workload, segment)
    return server


@UNTIMED
@given(SEGMENTS, st.integers(0, 2**32))
def test_sums_agree_with_a_count_one_by_one(segments: list[Segment], seed: int) -> None:
    """Any walks, begun anywhere and going round the file as often as they do, are counted exactly."""
    workload = generate(tiny_spec(), seed)
    server = counted(workload, segments)
    expected = Expectations(workload).of(Scenario.SYNC, [make_slice(segments=segments)])
    assert expected.calls == {"get": 0, "set": 0} | server.calls
    assert expected.hits == server.counters["keyspace_hits"]
    assert expected.misses == server.counters["keyspace_misses"]


@UNTIMED
@given(SEGMENTS, SEGMENTS)
def test_processes_add_up(first: list[Segment], second: list[Segment]) -> None:
    """The answers of several processes are expected together as they are one by one."""
    expectations = Expectations(WORKLOAD)
    both = expectations.of(Scenario.SYNC, [make_slice(segments=first), make_slice(segments=second)])
    alone = [expectations.of(Scenario.SYNC, [make_slice(segments=segments)]) for segments in (first, second)]
    assert both.calls == {name: sum(expected.calls[name] for expected in alone) for name in ("get", "set")}
    assert both.hits == sum(expected.hits or 0 for expected in alone)


def test_a_whole_round_is_the_whole_file() -> None:
    """Wherever a walk begins, one round of the file has every command once."""
    expectations = Expectations(WORKLOAD)
    whole = Segment(first_command=0, operations=WORKLOAD.header.commands)
    for begin in range(WORKLOAD.header.commands):
        moved = Segment(first_command=begin, operations=WORKLOAD.header.commands)
        results = [expectations.of(Scenario.SYNC, [make_slice(segments=[s])]) for s in (whole, moved)]
        assert results[0] == results[1]


def test_commands_that_were_not_sent_are_expected_not_to_be_seen() -> None:
    """Every command of the mix has its number, none included."""
    expected = Expectations(WORKLOAD).of(Scenario.SYNC, [make_slice(segments=[])])
    assert expected.calls == {"get": 0, "set": 0}


def test_a_transaction_is_framed_by_multi_and_exec() -> None:
    """One of each a unit, beside the workload's commands; other scenarios have none."""
    answer = make_slice(300, measured=Work(operations=300, units=3))
    expected = Expectations(WORKLOAD).of(Scenario.TRANSACTION, [answer, answer])
    assert (expected.calls["multi"], expected.calls["exec"]) == (6, 6)
    assert expected.calls["get"] + expected.calls["set"] == 600
    assert "multi" not in Expectations(WORKLOAD).of(Scenario.BATCHING, [answer]).calls


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (CommandSpec(name="PING", share=0.5, keys=1, arguments=()), True),
        (CommandSpec(name="SET", share=0.5, keys=6, arguments=(KeyArgument(), ValueArgument())), True),
        (CommandSpec(name="MSET", share=0.5, keys=6, arguments=(KeyArgument(), ValueArgument())), True),
        (CommandSpec(name="LINDEX", share=0.5, keys=6, arguments=(KeyArgument(), LiteralArgument(text="0"))), False),
        (CommandSpec(name="INCR", share=0.5, keys=6, arguments=(KeyArgument(),)), False),
    ],
)
def test_hits_are_known_only_where_gets_alone_count_them(command: CommandSpec, *, known: bool) -> None:
    """Where another command may count a hit too, none is claimed."""
    gets = CommandSpec(name="GET", share=0.5, keys=10, arguments=(KeyArgument(),))
    expected = Expectations(tiny_workload(mix=(gets, command))).of(Scenario.SYNC, [make_slice(60)])
    assert (expected.hits is not None) is known
    assert (expected.misses is not None) is known
    assert sum(expected.calls.values()) == 60


def test_mget_counts_a_hit_or_a_miss_for_each_key() -> None:
    """Of three keys in a row, those before the last preloaded one are hits, the others misses."""
    mget = CommandSpec(name="MGET", share=1, keys=10, arguments=tuple(KeyArgument(offset=o) for o in (0, 1, 2)))
    workload = tiny_workload(mix=(mget,))
    expected = Expectations(workload).of(Scenario.SYNC, [make_slice(60)])
    hits = sum(int(key) + offset < 8 for key in workload.keys for offset in (0, 1, 2))
    assert (expected.hits, expected.misses) == (hits, 180 - hits)


def test_every_value_of_a_command_counts_as_input() -> None:
    """MSET sends as many values as it has keys, all of the command's size."""
    words = (KeyArgument(), ValueArgument(), KeyArgument(offset=1), ValueArgument(offset=1))
    workload = tiny_workload(mix=(CommandSpec(name="MSET", share=1, keys=6, arguments=words),))
    expected = Expectations(workload).of(Scenario.SYNC, [make_slice(60)])
    key = len(b"$8\r\n") + len(workload.key(0)) + 2
    fixed = len(b"*5\r\n$4\r\nMSET\r\n") + 2 * key
    assert expected.input_bytes == sum(fixed + 2 * (len(b"$%d\r\n" % size) + int(size) + 2) for size in workload.sizes)
