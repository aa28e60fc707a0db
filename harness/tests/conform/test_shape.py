"""The shape of a trace, on lines of time made by hand."""

import pytest

from respmark.conform.shape import WireShape
from respmark.contract.trial import Scenario, Shape
from tests.conform.builders import ERROR, Line


@pytest.mark.parametrize(
    ("line", "flushes", "reads"),
    [
        (Line().send(1, "GET").answer(1).send(1, "SET").answer(1), {1: 2}, {1: 2}),
        # A write may arrive in pieces: without a reply in between it is one flush.
        (Line().send(1, "GET", "GET").send(1, "SET").answer(1, 3), {3: 1}, {1: 1, 2: 1}),
        # A reply makes two flushes, also if it is to a command of the flush before.
        (Line().send(1, "GET", "GET").answer(1).send(1, "GET").answer(1, 2), {1: 1, 2: 1}, {1: 1, 2: 1}),
        (Line(), {}, {}),
    ],
)
def test_flushes_and_reads(line: Line, flushes: dict[int, int], reads: dict[int, int]) -> None:
    """A flush is what came with no reply in between, a read what arrived together."""
    wire = WireShape(line.trace)
    assert (wire.flush_sizes, wire.read_sizes) == (flushes, reads)


def test_outstanding_commands_add_up_over_connections() -> None:
    """A client with a connection for each command in flight has many outstanding, and one on each connection."""
    line = Line().mark("go").send(1, "GET").send(2, "GET").send(3, "GET").answer(2).send(2, "GET").mark("end")
    wire = WireShape(line.trace)
    assert (wire.outstanding.most, wire.outstanding_per_connection.most, len(wire.carrying)) == (3, 1, 3)
    assert wire.outstanding.order == line.connections[3].commands[0].order
    assert wire.slides


def test_each_slice_has_a_window() -> None:
    """What comes before the first, between two, or after the last is in none."""
    line = Line().send(1, "GET").answer(1).mark("ready").mark("go").send(1, "GET").answer(1).mark("end")
    line.send(1, "SET").answer(1).mark("go").send(1, "SET", "SET").answer(1, 2).mark("end").send(1, "GET").answer(1)
    sent = [[command.name for command in WireShape(line.trace, number).everything] for number in (0, 1)]
    assert sent == [["GET"], ["SET", "SET"]]


@pytest.mark.parametrize(
    ("line", "most"),
    [
        # One that closes makes room before the next one opens.
        (Line().open(1).mark("go").send(1, "GET").answer(1).close(1).send(2, "GET").answer(2), 1),
        # The two events come over two sockets, in either order: the next one's first command comes after both.
        (Line().open(1).mark("go").send(1, "GET").answer(1).open(2).close(1).send(2, "GET").answer(2), 1),
        # A pool cannot hide a connection too many: neither one that works beside the others nor one that is idle.
        (Line().open(1).mark("go").send(1, "GET").answer(1).open(2).send(2, "GET").close(1).answer(2), 2),
        (Line().open(1, 2).mark("go").send(1, "GET").answer(1), 2),
    ],
)
def test_connections_that_are_open_at_once(line: Line, most: int) -> None:
    """Counted from their first command on."""
    assert WireShape(line.mark("end").trace).open_most == most


def test_transactions_are_cut_into_blocks() -> None:
    """A block knows its commands, how it travelled, and whether it is whole."""
    line = Line(Scenario.TRANSACTION, Shape()).mark("go")
    line.send(1, "MULTI", "GET", "SET", "EXEC").answer(1, 4)
    line.send(1, "MULTI", "GET").answer(1, 2).send(1, "EXEC").answer(1)
    line.send(1, "MULTI", "GET").answer(1, 2).send(1, "MULTI", "EXEC").answer(1).answer(1, 1, ERROR)
    blocks = WireShape(line.mark("end").trace).blocks
    assert [block.commands for block in blocks] == [2, 1, 1, 0]
    assert [block.flushes for block in blocks] == [1, 2, 1, 1]
    assert [block.most_outstanding for block in blocks] == [4, 2, 2, 2]
    assert [block.complete for block in blocks] == [True, True, False, True]
    assert [block.answered for block in blocks] == [True, True, False, False]
