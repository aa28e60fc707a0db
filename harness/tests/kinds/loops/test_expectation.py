"""What the server must have counted, derived from a claim, against a count one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.trial import Scenario
from respmark.kinds.loops.expectation import Expectation, Expectations, Segment
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from respmark.workload.workload import Workload, generate
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fake_node import FakeNode

WORKLOAD = tiny_workload()
SEGMENTS = st.lists(st.builds(Segment, st.integers(0, 200), st.integers(0, 300)), min_size=1, max_size=4)


def expected(workload: Workload, *segments: Segment, scenario: Scenario = Scenario.SYNC, units: int = 0) -> Expectation:
    return Expectations(workload).of(scenario, segments, units)


@given(SEGMENTS, st.integers(0, 2**32))
def test_sums_agree_with_a_count_one_by_one(segments: list[Segment], seed: int) -> None:
    """Any walks, begun anywhere and going round the file as often as they do, are counted exactly."""
    workload, server = generate(tiny_spec(), seed), FakeNode()
    for segment in segments:
        server.perform(workload, segment)
    found = expected(workload, *segments)
    assert found.calls == {"get": 0, "set": 0} | server.calls
    assert (found.hits, found.misses) == (server.counters["keyspace_hits"], server.counters["keyspace_misses"])
    assert found.input_bytes == server.counters["total_net_input_bytes"]


def test_a_transaction_is_framed_by_multi_and_exec() -> None:
    """One of each a unit, beside the workload's commands; other scenarios have none."""
    found = expected(WORKLOAD, Segment(0, 600), scenario=Scenario.TRANSACTION, units=6)
    plain = expected(WORKLOAD, Segment(0, 600), scenario=Scenario.BATCHING, units=6)
    assert found.calls == plain.calls | {"multi": 6, "exec": 6}
    assert found.input_bytes == (plain.input_bytes or 0) + 6 * len(b"*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n")


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (CommandSpec(name="PING", share=0.5, keys=1, arguments=()), True),
        (CommandSpec(name="MSET", share=0.5, keys=6, arguments=(KeyArgument(), ValueArgument())), True),
        (CommandSpec(name="SELECT", share=0.5, keys=1, arguments=(LiteralArgument(text="0"),)), True),
        (CommandSpec(name="LINDEX", share=0.5, keys=6, arguments=(KeyArgument(), LiteralArgument(text="0"))), False),
        (CommandSpec(name="INCR", share=0.5, keys=6, arguments=(KeyArgument(),)), False),
    ],
)
def test_hits_are_known_only_where_known_commands_count_them(command: CommandSpec, *, known: bool) -> None:
    """Where another command may count a hit too, none is claimed."""
    gets = CommandSpec(name="GET", share=0.5, keys=10, arguments=(KeyArgument(),))
    found = expected(tiny_workload(mix=(gets, command)), Segment(0, 60))
    assert (found.hits is not None, found.misses is not None) == (known, known)
    assert sum(found.calls.values()) == 60


def test_what_a_script_calls_is_counted_with_it() -> None:
    """The server counts the commands of a script beside the script itself."""
    script = CommandSpec(name="EVAL", share=1, keys=6, calls={"GET": 3}, arguments=(KeyArgument(),))
    found = expected(tiny_workload(mix=(script,)), Segment(0, 20))
    assert (found.calls, found.hits) == ({"eval": 20, "get": 60}, None)


def test_mget_counts_a_hit_or_a_miss_for_each_key() -> None:
    """Of three keys in a row, those before the last preloaded one are hits, the others misses."""
    mget = CommandSpec(name="MGET", share=1, keys=10, arguments=tuple(KeyArgument(offset=o) for o in (0, 1, 2)))
    workload = tiny_workload(mix=(mget,))
    hits = sum(int(key) + offset < 8 for key in workload.keys for offset in (0, 1, 2))
    found = expected(workload, Segment(0, 60))
    assert (found.hits, found.misses) == (hits, 180 - hits)


def test_what_a_cache_answered_is_not_expected_of_the_server() -> None:
    """Only misses are calls; their bytes, and no others, were read."""
    sent = expected(WORKLOAD, Segment(0, 60))
    cached = Expectations(WORKLOAD).of(Scenario.CACHING, [Segment(0, 60)], 60, local_misses=7)
    assert cached.calls == sent.calls | {"get": 7}
    assert (cached.local_reads, cached.hits, cached.misses) == (sent.calls["get"], None, None)
    key = WORKLOAD.key(0)
    of_one = len(f"*2\r\n$3\r\nGET\r\n${len(key)}\r\n{key.decode()}\r\n")
    assert cached.input_bytes == (sent.input_bytes or 0) - (sent.calls["get"] - 7) * of_one
