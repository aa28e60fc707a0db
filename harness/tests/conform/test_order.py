"""The same commands in the same order, walker by walker."""

import pytest

from respmark.conform.order import ExpectedOrder, Walk, disorder
from respmark.contract.trial import Scenario, Shape, Window
from respmark.wire.trace import CommandTrace
from respmark.workload.walk import first_commands
from tests.builders.plan import tiny_workload

WORKLOAD = tiny_workload()
EXPECTED = ExpectedOrder(WORKLOAD)


def sent(*indexes: int) -> list[CommandTrace]:
    """Return commands of the workload as a trace has them."""
    return [
        CommandTrace(
            order=order, at_ns=order, name=name, arguments=1, sizes=(), key="", digest=digest, read=1, outstanding=0
        )
        for order, (name, digest) in enumerate((EXPECTED.at(0, index) for index in indexes), start=1)
    ]


def done(firsts: list[int], commands: list[CommandTrace], places: int = 1) -> set[tuple[int, ...]]:
    """Return how far the walkers can have come."""
    ways = disorder(EXPECTED, firsts, commands, places)
    assert not isinstance(ways, CommandTrace)
    return {tuple(walk.done for walk in way) for way in ways}


def test_one_walker_in_order_round_the_end() -> None:
    """The workload is replayed cyclically."""
    last = WORKLOAD.header.commands - 1
    assert done([last], sent(last, 0, 1)) == {(3,)}


def test_a_command_too_early_is_nobodys_turn() -> None:
    """The first that is not due is named."""
    commands = sent(0, 2)
    assert disorder(EXPECTED, [0], commands, 1) is commands[1]


def test_commands_over_several_connections_may_overtake_each_other() -> None:
    """But only as many as are in flight together."""
    assert done([0], sent(1, 0, 3, 2), places=2) == {(4,)}
    late = sent(1, 3, 0)
    assert disorder(EXPECTED, [0], late, 2) is late[1]


def test_a_command_that_is_held_back_may_be_overtaken_by_any_number() -> None:
    """They go through the window's other places, one after the other; two at once cannot be held back by one place."""
    assert done([0], sent(1, 2, 3, 4, 5, 0), places=2) == {(6,)}
    two = sent(1, 2, 3, 7)
    assert disorder(EXPECTED, [0], two, 2) is two[3]


def test_walkers_may_be_mixed_in_any_way() -> None:
    """Two walkers, one ahead of the other."""
    assert done([0, 30], sent(0, 30, 31, 32, 1)) == {(2, 3)}


def test_walkers_at_the_same_command_are_both_followed() -> None:
    """Two walkers that begin alike: one command is one of either, and the claim decides."""
    assert done([0, 0], sent(0)) == {(1, 0), (0, 1)}
    assert done([0, 0], sent(0, 1, 2, 0)) == {(3, 1), (1, 3)}


@pytest.mark.parametrize(
    ("shape", "scenario", "part", "firsts"),
    [
        (Shape(), Scenario.SYNC, 0, [0]),
        (Shape(processes=2), Scenario.SYNC, 1, [30]),
        (Shape(threads=4, connections=1), Scenario.THREADS, 0, [0, 15, 30, 45]),
        (Shape(threads=2, max_total=1, processes=2), Scenario.POOL, 1, [30, 45]),
        (Shape(depth=10, window=Window.BURST), Scenario.PIPELINING, 0, [0]),
    ],
)
def test_walkers_begin_where_the_contract_says(shape: Shape, scenario: Scenario, part: int, firsts: list[int]) -> None:
    """Walker w of n begins at w * commands / n."""
    assert first_commands(60, shape, scenario, part) == firsts


def test_a_walk_counts_what_lies_ahead() -> None:
    """A gap that closes moves it on."""
    walk = Walk(0).stepped(1).stepped(2)
    assert (walk.next, walk.done) == (0, 2)
    assert walk.stepped(0) == Walk(3)
