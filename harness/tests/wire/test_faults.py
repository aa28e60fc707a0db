"""Faults happen to the reply that the script names, and to no other."""

import pytest

from respmark.wire.faults import INJECTED, Close, Fault, FaultKind, Send, actions_of, corrupt
from respmark.wire.proxy import Proxy, Script
from tests.wire.conftest import Client, OpenProxy

VALUE = b"$5\r\nvalue\r\n"


def faulty(open_proxy: OpenProxy, fault: Fault) -> tuple[Proxy, Client]:
    """Return a proxy with one fault, and a client whose key is set."""
    proxy = open_proxy(Script(faults=(fault,)))
    client = Client(proxy.endpoint_for(0))
    client.call("SET k value", 5)
    return proxy, client


def test_an_error_comes_in_place_of_the_third_value(open_proxy: OpenProxy) -> None:
    """Two values pass, one is replaced, the next pass again; the trace says so."""
    names = frozenset({"GET"})
    proxy, client = faulty(open_proxy, Fault(FaultKind.ERROR, after=2, names=names, since=None))
    assert [client.call("GET k", len(VALUE)) for _ in range(2)] == [VALUE, VALUE]
    assert client.call("GET k", len(INJECTED)) == INJECTED
    assert client.call("GET k", len(VALUE)) == VALUE
    trace = proxy.trace()
    faults = [command.reply.fault for command in trace.connections[0].commands if command.reply]
    assert faults == [None, None, None, "error", None]
    assert trace.faults == ("error: GET on connection 1",)


def test_faults_wait_for_their_mark(open_proxy: OpenProxy) -> None:
    """What comes before `go` neither suffers nor counts."""
    proxy, client = faulty(open_proxy, Fault(FaultKind.ERROR))
    assert client.call("GET k", len(VALUE)) == VALUE
    proxy.mark("go", 0)
    assert client.call("GET k", len(INJECTED)) == INJECTED


def test_a_fault_of_one_connection_leaves_the_others(open_proxy: OpenProxy) -> None:
    """Connections are named by the order in which they were opened."""
    proxy, first = faulty(open_proxy, Fault(FaultKind.ERROR, connection=2, since=None))
    second = Client(proxy.endpoint_for(1))
    assert first.call("GET k", len(VALUE)) == VALUE
    assert second.call("GET k", len(INJECTED)) == INJECTED


def test_a_split_reply_is_the_same_bytes(open_proxy: OpenProxy) -> None:
    """Only the writes are others."""
    _, client = faulty(open_proxy, Fault(FaultKind.SPLIT, names=frozenset({"GET"}), since=None))
    assert client.call("GET k", len(VALUE)) == VALUE


def test_a_late_reply_holds_up_those_behind_it(open_proxy: OpenProxy) -> None:
    """Replies stay in order, whatever happens to one."""
    _, client = faulty(open_proxy, Fault(FaultKind.DELAY, names=frozenset({"GET"}), since=None))
    client.send("GET k", "GET none")
    assert client.receive(len(VALUE) + 5) == VALUE + b"$-1\r\n"


def test_a_wrong_value_has_one_other_byte(open_proxy: OpenProxy) -> None:
    """A reply without a value passes: there is nothing in it to be wrong."""
    _, client = faulty(open_proxy, Fault(FaultKind.WRONG_VALUE, since=None))
    assert client.call("GET none", 5) == b"$-1\r\n"
    assert client.call("GET k", len(VALUE)) == b"$5\r\nvalu!\r\n"


def test_a_cut_reply_ends_in_the_middle(open_proxy: OpenProxy) -> None:
    """Half of it, then the end of the connection."""
    proxy, client = faulty(open_proxy, Fault(FaultKind.CUT, names=frozenset({"GET"}), since=None))
    assert client.call("GET k", 100) == VALUE[: len(VALUE) // 2]
    (connection,) = proxy.trace().connections
    assert connection.closed_by == "fault"
    assert connection.commands[-1].reply is None


def test_a_reset_is_a_reset(open_proxy: OpenProxy) -> None:
    """Not an orderly end, and no byte of the reply."""
    _, client = faulty(open_proxy, Fault(FaultKind.RESET, names=frozenset({"GET"}), since=None))
    with pytest.raises(ConnectionResetError):
        client.call("GET k", 100)


def test_a_value_inside_an_array_is_found() -> None:
    """EXEC's reply holds the values of a transaction."""
    assert corrupt(b"*3\r\n+OK\r\n$-1\r\n$2\r\nab\r\n") == b"*3\r\n+OK\r\n$-1\r\n$2\r\na!\r\n"
    assert corrupt(b"*1\r\n+OK\r\n") is None


@pytest.mark.parametrize("data", [b"+OK\r\n", b":1\r\n", VALUE, b"$-1\r\n"])
def test_a_split_delivers_once_and_loses_nothing(data: bytes) -> None:
    """Exactly one of its writes makes the reply known."""
    actions = actions_of(Fault(FaultKind.SPLIT), data) or []
    sends = [action for action in actions if isinstance(action, Send)]
    assert b"".join(send.data for send in sends) == data
    assert sum(send.delivers for send in sends) == 1
    assert not any(isinstance(action, Close) for action in actions)
