"""The shape of a trace, on lines of time made by hand."""

from respmark.contract.trial import Scenario, Shape
from respmark.wire.replies import Reply
from respmark.wire.shape import shape_of
from tests.wire.builders import Line


def test_one_after_the_other_is_one_outstanding() -> None:
    """Each command is a flush and a read of its own."""
    line = Line().mark("go").send(1, "GET").answer(1).send(1, "SET").answer(1).mark("end")
    wire = shape_of(line.trace())
    assert (wire.connections, wire.commands, wire.outstanding_most) == (1, 2, 1)
    assert (wire.flush_sizes, wire.read_sizes) == ({1: 2}, {1: 2})
    assert wire.outstanding_mean_per_connection == 1


def test_a_batch_in_several_reads_is_one_flush() -> None:
    """A write may arrive in pieces: without a reply in between it is one flush."""
    line = Line().mark("go").send(1, "GET", "GET").send(1, "SET").answer(1, 3).mark("end")
    wire = shape_of(line.trace())
    assert (wire.flush_sizes, wire.read_sizes) == ({3: 1}, {1: 1, 2: 1})
    assert wire.commands_per_read == 1.5
    assert wire.outstanding_mean_per_connection == 2


def test_a_reply_in_between_makes_two_flushes() -> None:
    """Also when the reply is to a command of the flush before."""
    line = Line().mark("go").send(1, "GET", "GET").answer(1).send(1, "GET").answer(1).send(1, "GET").answer(1, 2)
    wire = shape_of(line.mark("end").trace())
    assert wire.flush_sizes == {1: 2, 2: 1}
    assert wire.replies_between == {1: 2}


def test_outstanding_commands_add_up_over_connections() -> None:
    """A client with a connection for each command in flight has many outstanding, and one on each connection."""
    line = Line().mark("go").send(1, "GET").send(2, "GET").send(3, "GET").answer(2).answer(1).answer(3).mark("end")
    wire = shape_of(line.trace())
    assert (wire.connections, wire.outstanding_most, wire.outstanding_most_per_connection) == (3, 3, 1)


def test_only_the_window_counts_and_what_lies_around_it_is_told() -> None:
    """Commands before `ready`, between `ready` and `go`, and after the result are counted apart."""
    line = Line().send(1, "GET").answer(1).mark("ready").send(1, "GET").answer(1).mark("go")
    line.send(1, "SET").answer(1).mark("end").send(1, "GET").answer(1)
    wire = shape_of(line.trace())
    assert (wire.before_window, wire.between_ready_and_go, wire.commands, wire.after_window) == (1, 1, 1, 1)


def test_connections_are_counted_open_at_once_and_at_the_end() -> None:
    """One that closes makes room before the next opens."""
    line = Line().open(1).mark("go").send(1, "GET").answer(1).close(1)
    line.send(2, "GET").answer(2).close(2).send(3, "GET").answer(3).mark("end").close(3)
    wire = shape_of(line.trace())
    assert (wire.connections, wire.connections_opened, wire.connections_open_most) == (3, 2, 1)
    assert (wire.connections_open_at_end, wire.commands_per_connection_most) == (1, 1)


def test_a_connection_that_makes_room_may_be_seen_to_close_after_the_next_has_opened() -> None:
    """The two events come over two sockets, in either order: the next one's first command comes after both."""
    line = Line().open(1).mark("go").send(1, "GET").answer(1).open(2).close(1).send(2, "GET").answer(2).mark("end")
    assert shape_of(line.trace()).connections_open_most == 1


def test_a_connection_counts_as_open_while_another_works_and_when_it_never_does() -> None:
    """A pool cannot hide a connection too many: neither one that works beside the others nor one that is idle."""
    busy = Line().open(1).mark("go").send(1, "GET").answer(1).open(2).send(2, "GET").close(1).answer(2).mark("end")
    idle = Line().open(1).open(2).mark("go").send(1, "GET").answer(1).mark("end")
    assert shape_of(busy.trace()).connections_open_most == 2
    assert shape_of(idle.trace()).connections_open_most == 2


def test_handshake_and_strangers_are_told_apart() -> None:
    """What comes before a connection's first command is its handshake; what comes between is not."""
    line = Line().mark("go").send(1, "HELLO", "CLIENT").answer(1, 2).send(1, "GET").answer(1)
    line.send(1, "PING").answer(1).send(1, "GET").answer(1).mark("end")
    wire = shape_of(line.trace())
    assert wire.handshake == ("HELLO", "CLIENT")
    assert wire.unexpected == {"PING": 1}
    assert wire.commands == 2


def test_transactions_are_cut_into_blocks() -> None:
    """A block knows its commands, how it travelled, and whether it is whole."""
    line = Line(Scenario.TRANSACTION, Shape()).mark("go")
    line.send(1, "MULTI", "GET", "SET", "EXEC").answer(1, 4)
    line.send(1, "MULTI", "GET").answer(1, 2).send(1, "EXEC").answer(1)
    line.send(1, "MULTI", "GET").answer(1, 2).send(1, "MULTI", "EXEC").answer(1).answer(1, 1, Reply("-", 9, "ERR"))
    blocks = shape_of(line.mark("end").trace()).blocks
    assert [block.commands for block in blocks] == [2, 1, 1, 0]
    assert [block.flushes for block in blocks] == [1, 2, 1, 1]
    assert [block.most_outstanding for block in blocks] == [4, 2, 2, 2]
    assert [block.complete for block in blocks] == [True, True, False, True]
    assert [block.answered for block in blocks] == [True, True, False, False]


def test_what_was_never_answered_and_what_was_refused_is_counted() -> None:
    """A command without a reply, and one with an error."""
    line = Line().mark("go").send(1, "GET", "GET").answer(1, 1, Reply("-", 9, "ERR no")).close(1).mark("end")
    wire = shape_of(line.trace())
    assert (wire.unanswered, wire.errors) == (1, 1)


def test_a_trace_of_nothing_has_a_shape() -> None:
    """Nothing came: every count is zero."""
    wire = shape_of(Line().trace())
    assert (wire.commands, wire.connections, wire.commands_per_flush) == (0, 0, 0)
