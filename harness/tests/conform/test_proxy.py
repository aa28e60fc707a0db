"""The proxy with real sockets: it changes nothing and misses nothing; holds replies back, and tampers with one."""

import hashlib
import os

from respmark.conform.hold import SINGLES, Hold
from respmark.conform.proxy import Proxy
from respmark.conform.shape import WireShape
from respmark.conform.tampering import INJECTED, Tampering, TamperingKind, TamperingScript, corrupt
from tests.conform.conftest import Client, OpenProxy

VALUE = b"$5\r\nvalue\r\n"


def test_replies_come_through_and_commands_are_noted(open_proxy: OpenProxy) -> None:
    """What is sent, what comes back, over which connection of which process, in which order."""
    proxy = open_proxy()
    client, other = Client(proxy.endpoint_for(0)), Client(proxy.endpoint_for(1))
    assert client.call("SET key:1 value", 5) == b"+OK\r\n"
    assert client.call("GET key:1", 11) == VALUE
    assert other.call("GET key:1", 11) == VALUE
    first, second = proxy.trace.connections[0].commands
    assert (first.name, first.key, first.sizes, first.read) == ("SET", "key:1", (5, 5), 1)
    assert (second.name, second.read) == ("GET", 2)
    assert first.reply is not None
    assert second.reply is not None
    assert proxy.trace.connections[0].opened < first.order < first.reply.order < second.order < second.reply.order
    assert (first.reply.kind, second.reply.kind, second.reply.size) == ("+", "$", 11)
    assert [connection.process for connection in proxy.trace.connections] == [0, 1]


def test_megabytes_pass_unchanged_in_both_directions(open_proxy: OpenProxy) -> None:
    """Larger than any buffer, cut wherever the network likes."""
    value = os.urandom(8 * 1024 * 1024)
    client = Client(open_proxy().endpoint_for(0))
    client.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%b\r\n" % (len(value), value))
    assert client.receive(5) == b"+OK\r\n"
    head = b"$%d\r\n" % len(value)
    reply = client.call("GET k", len(head) + len(value) + 2)
    assert hashlib.sha256(reply).digest() == hashlib.sha256(head + value + b"\r\n").digest()


def test_what_is_not_resp_passes_and_is_marked(open_proxy: OpenProxy) -> None:
    """The server sees the words and answers them; the trace says from when on it knows nothing."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    assert client.call("GET k", 5) == b"$-1\r\n"
    client.socket.sendall(b"PING\r\nPING\r\n")
    assert client.receive(14) == b"+PONG\r\n+PONG\r\n"
    assert "received data is not RESP" in (proxy.trace.connections[0].unreadable or "")


def test_unsubscribe_is_answered_by_a_push_and_no_invalidation_is_an_answer(open_proxy: OpenProxy) -> None:
    """Each command has its own reply; rueidis sends UNSUBSCRIBE when a dedicated connection is given back."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    client.socket.sendall(b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n")
    said = b""
    while not said.endswith(b"*0\r\n"):
        said += client.receive(1)
    assert client.call("CLIENT TRACKING ON", 5) == b"+OK\r\n"
    assert client.call("GET k", 3) == b"_\r\n"
    invalidation = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"
    assert sorted(client.call("SET k v", len(invalidation) + 5)) == sorted(invalidation + b"+OK\r\n")
    confirmed = b">3\r\n$11\r\nunsubscribe\r\n_\r\n:0\r\n"
    assert client.call("UNSUBSCRIBE", len(confirmed)) == confirmed
    assert client.call("GET k", 7) == b"$1\r\nv\r\n"
    kinds = [(one.name, one.reply and one.reply.kind) for one in proxy.trace.connections[0].commands[2:]]
    assert kinds == [("GET", "_"), ("SET", "+"), ("UNSUBSCRIBE", ">"), ("GET", "$")]


def held(goal: int, enough: int, patience_s: float = 0.2, *, one_by_one: bool = False) -> Hold:
    return Hold(goal, enough, frozenset({"GET"}), one_by_one=one_by_one, linger_s=0.05, patience_s=patience_s)


def test_held_replies_make_a_flush_of_what_came_in_pieces(open_proxy: OpenProxy) -> None:
    """Commands in three writes, each of which the server has answered long ago, are one flush: no reply was needed."""
    proxy = open_proxy(hold=held(goal=3, enough=3, patience_s=60.0))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    for _ in range(3):
        client.send("GET k")
        proxy.mark("waited", 0)
    assert client.receive(15) == b"$-1\r\n" * 3
    proxy.mark("end", 0)
    assert WireShape(proxy.trace).flush_sizes == {3: 1}
    assert proxy.trace.stalls == []


def test_a_client_that_waits_too_early_stalls(open_proxy: OpenProxy) -> None:
    """After the patience it gets its replies, and the trace says with how many commands it waited."""
    proxy = open_proxy(hold=held(goal=3, enough=3))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    client.send("GET k", "GET k")
    assert client.receive(10) == b"$-1\r\n" * 2
    assert [stall.outstanding for stall in proxy.trace.stalls] == [2]


def test_one_by_one_the_oldest_waits_where_another_connection_can_be_answered(open_proxy: OpenProxy) -> None:
    """What is sent for a reply comes while the others wait; who waits for the oldest alone is not answered by it."""
    proxy = open_proxy(hold=held(goal=3, enough=3, patience_s=60.0, one_by_one=True))
    endpoint = proxy.endpoint_for(0)
    clients = [Client(endpoint) for _ in range(3)]
    proxy.mark("go", 0)
    for client in clients:
        client.send("GET k")
        proxy.mark("sent", 0)
    for client in (clients[1], clients[2], clients[1]):
        assert client.receive(5) == b"$-1\r\n"
        client.send("GET k")
    proxy.mark("end", 0)
    for client in clients:
        assert client.receive(5) == b"$-1\r\n"
    oldest = proxy.trace.connections[0].commands[0]
    assert oldest.reply is not None
    assert oldest.reply.order > max(mark.order for mark in proxy.trace.marks)
    assert WireShape(proxy.trace).outstanding.most == 3


def test_after_some_single_replies_all_are_released(open_proxy: OpenProxy) -> None:
    """In a large window, the last command would otherwise wait for longer than a library does."""
    proxy = open_proxy(hold=held(goal=2, enough=2, patience_s=60.0, one_by_one=True))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    client.send("GET k", "GET k")
    for _ in range(SINGLES):
        assert client.receive(5) == b"$-1\r\n"
        client.send("GET k")
    assert client.receive(10) == b"$-1\r\n" * 2


def tampering_with(open_proxy: OpenProxy, kind: TamperingKind) -> tuple[Proxy, Client]:
    """Return a client after the first reply of a slice, which passes unharmed."""
    proxy = open_proxy(tampering=Tampering(kind, "GET"))
    client = Client(proxy.endpoint_for(0))
    client.call("SET k value", 5)
    proxy.mark("go", 0)
    assert client.call("GET k", len(VALUE)) == VALUE
    return proxy, client


def test_an_error_comes_in_place_of_the_second_value(open_proxy: OpenProxy) -> None:
    """One value passes, one is replaced, the next passes again; the trace says so."""
    proxy, client = tampering_with(open_proxy, TamperingKind.ERROR)
    assert client.call("GET k", len(INJECTED)) == INJECTED
    assert client.call("GET k", len(VALUE)) == VALUE
    replies = [command.reply for command in proxy.trace.connections[0].commands if command.reply]
    assert [reply.tampering for reply in replies] == [None, None, "error", None]
    assert replies[2].error == INJECTED[1:-2].decode()
    assert proxy.trace.tampered == ["error: GET on connection 1"]


def test_a_wrong_value_has_one_other_byte(open_proxy: OpenProxy) -> None:
    """A reply without a value passes: there is nothing in it to be wrong. In an array, the first value is."""
    _, client = tampering_with(open_proxy, TamperingKind.WRONG_VALUE)
    assert client.call("GET none", 5) == b"$-1\r\n"
    assert client.call("GET k", len(VALUE)) == b"$5\r\nvalu!\r\n"
    assert corrupt(b"*3\r\n+OK\r\n$-1\r\n$2\r\nab\r\n") == b"*3\r\n+OK\r\n$-1\r\n$2\r\na!\r\n"


def test_the_value_of_what_is_fetched_in_a_transaction_is_in_the_reply_to_exec() -> None:
    """As rueidis fetches what it caches: GET is answered by QUEUED. Other kinds wait for GET's own reply."""
    value = b"*2\r\n:-1\r\n$2\r\nab\r\n"
    wrong = TamperingScript(Tampering(TamperingKind.WRONG_VALUE, "GET"))
    assert [wrong.next_for("GET", b"+QUEUED\r\n"), wrong.next_for("EXEC", value)] == [None, TamperingKind.WRONG_VALUE]
    error = TamperingScript(Tampering(TamperingKind.ERROR, "GET"))
    error.begin()
    assert [error.next_for("EXEC", value) for _ in range(3)] == [None, None, None]
