"""The proxy with real sockets: it changes nothing and misses nothing."""

import gc
import hashlib
import os
import ssl
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from respmark.contract.trial import Endpoint, Tls
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server, spawn
from respmark.wire.hold import Hold
from respmark.wire.proxy import Script, client_context, proxied
from respmark.wire.shape import shape_of
from tests.conftest import SERVER_SPEC
from tests.wire.conftest import SUBJECT, Client, OpenProxy


def test_replies_come_through_and_commands_are_noted(open_proxy: OpenProxy) -> None:
    """What is sent, what comes back, over which connection, in which order."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    assert client.call("SET key:1 value", 5) == b"+OK\r\n"
    assert client.call("GET key:1", 11) == b"$5\r\nvalue\r\n"
    client.close()
    (connection,) = proxy.trace().connections
    first, second = connection.commands
    assert (first.name, first.key, first.sizes, first.read) == ("SET", "key:1", (5, 5), 1)
    assert (second.name, second.read, second.outstanding) == ("GET", 2, 0)
    assert first.reply is not None
    assert second.reply is not None
    assert connection.opened < first.order < first.reply.order < second.order < second.reply.order
    assert (first.reply.kind, second.reply.kind, second.reply.size) == ("+", "$", 11)


def test_what_a_library_asks_on_the_side_is_not_outstanding(open_proxy: OpenProxy) -> None:
    """A multiplexer may wait for a PING of its own when the first command of the workload comes."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    client.send("PING", "GET k", "PING", "GET k")
    client.receive(24)
    commands = proxy.trace().connections[0].commands
    assert [(command.name, command.outstanding) for command in commands] == [
        ("PING", 0),
        ("GET", 0),
        ("PING", 1),
        ("GET", 1),
    ]


def test_a_closed_connection_is_noted_with_who_closed_it(open_proxy: OpenProxy) -> None:
    """The client by closing its socket, the server by QUIT."""
    proxy = open_proxy()
    endpoint = proxy.endpoint_for(0)
    first, second = Client(endpoint), Client(endpoint)
    assert first.call("QUIT", 5) == b"+OK\r\n"
    assert first.receive(1) == b""
    second.call("GET a", 5)
    second.close()
    proxy.mark("end", 0)
    while any(connection.closed is None for connection in proxy.trace().connections):
        proxy.mark("waited", 0)
    by = {connection.commands[0].name: connection.closed_by for connection in proxy.trace().connections}
    assert by == {"QUIT": "server", "GET": "client"}


def test_megabytes_pass_unchanged_in_both_directions(open_proxy: OpenProxy) -> None:
    """Larger than any buffer, cut wherever the network likes."""
    value = os.urandom(8 * 1024 * 1024)
    client = Client(open_proxy().endpoint_for(0))
    client.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%b\r\n" % (len(value), value))
    assert client.receive(5) == b"+OK\r\n"
    head = b"$%d\r\n" % len(value)
    reply = client.call("GET k", len(head) + len(value) + 2)
    assert hashlib.sha256(reply).digest() == hashlib.sha256(head + value + b"\r\n").digest()


def test_a_command_in_single_bytes_is_one_command(open_proxy: OpenProxy) -> None:
    """However slowly it comes."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    for byte in b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n":
        client.socket.sendall(bytes([byte]))
    assert client.receive(5) == b"$-1\r\n"
    assert [command.name for command in proxy.trace().connections[0].commands] == ["GET"]


def test_resp3_passes_with_its_pushes(open_proxy: OpenProxy) -> None:
    """A push is no command's reply: the next reply still belongs to the next command."""
    proxy = open_proxy()
    endpoint = proxy.endpoint_for(0)
    client, other = Client(endpoint), Client(endpoint)
    client.send("HELLO 3", "CLIENT TRACKING ON", "GET k")
    while not client.receive(1).startswith(b"_"):
        pass
    client.receive(2)
    other.call("SET k v", 5)
    pushed = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"
    assert client.receive(len(pushed)) == pushed
    assert client.call("GET k", 7) == b"$1\r\nv\r\n"
    commands = proxy.trace().connections[0].commands
    assert [command.reply.kind for command in commands if command.reply] == ["%", "+", "_", "$"]


def test_what_is_not_resp_passes_and_is_marked(open_proxy: OpenProxy) -> None:
    """The server sees the garbage and answers it; the trace says from when on it knows nothing."""
    proxy = open_proxy()
    client = Client(proxy.endpoint_for(0))
    client.send("GET k")
    client.receive(5)
    client.socket.sendall(b"*1\r\n+nonsense\r\n")
    assert client.receive(4) == b"-ERR"
    (connection,) = proxy.trace().connections
    assert connection.unreadable is not None
    assert "where a command was due came" in connection.unreadable


def test_a_unix_socket_is_reached_through_a_unix_socket(guardian: Guardian, open_proxy: OpenProxy) -> None:
    """The transport that is measured is the transport that is observed."""
    server = spawn(SERVER_SPEC.model_copy(update={"transport": "unix"}), guardian)
    try:
        endpoint = open_proxy(upstream=server.endpoint).endpoint_for(0)
        assert endpoint.unix_socket is not None
        assert Path(endpoint.unix_socket).is_socket()
        client = Client(endpoint)
        assert endpoint.password is not None
        assert client.call(f"AUTH {endpoint.password.get_secret_value()}", 5) == b"+OK\r\n"
        assert client.call("GET k", 5) == b"$-1\r\n"
    finally:
        server.stop()


def test_a_server_that_is_gone_is_a_closed_connection(open_proxy: OpenProxy) -> None:
    """The client learns it as it would without a proxy: its connection ends."""
    proxy = open_proxy(upstream=Endpoint(host="127.0.0.1", port=1))
    with pytest.raises(ConnectionError):
        raise_if_ended(Client(proxy.endpoint_for(0)).receive(1))


def raise_if_ended(data: bytes) -> None:
    """Make an end look like a reset: either may come."""
    if not data:
        raise ConnectionResetError


def test_processes_have_doors_of_their_own(open_proxy: OpenProxy) -> None:
    """The trace knows which process a connection came from."""
    proxy = open_proxy()
    first, second = Client(proxy.endpoint_for(0)), Client(proxy.endpoint_for(1))
    second.call("GET b", 5)
    first.call("GET a", 5)
    by_process = {connection.process: connection.commands[0].key for connection in proxy.trace().connections}
    assert by_process == {0: "a", 1: "b"}


def test_a_redis_library_works_through_it(open_proxy: OpenProxy) -> None:
    """The harness's own control connection, handshake and all."""
    proxy = open_proxy()
    with closing(Control(proxy.endpoint_for(0)).open()) as control:
        assert control.command("DBSIZE") == 0


def held(goal: int, enough: int, patience_s: float = 0.2, *, one_by_one: bool = False) -> Script:
    """Return a script that holds replies to GET back."""
    hold = Hold(goal, enough, frozenset({"GET"}), one_by_one=one_by_one, linger_s=0.05, patience_s=patience_s)
    return Script(hold)


def test_held_replies_make_a_flush_of_what_came_in_pieces(open_proxy: OpenProxy) -> None:
    """Commands in three writes, each of which the server has answered long ago, are one flush: no reply was needed."""
    proxy = open_proxy(held(goal=3, enough=3, patience_s=5.0))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    for _ in range(3):
        client.send("GET k")
        proxy.mark("waited", 0)
    assert client.receive(15) == b"$-1\r\n" * 3
    proxy.mark("end", 0)
    trace = proxy.trace()
    assert shape_of(trace).flush_sizes == {3: 1}
    assert trace.stalls == ()


def test_a_client_that_waits_too_early_stalls(open_proxy: OpenProxy) -> None:
    """After the patience it gets its replies, and the trace says with how many commands it waited."""
    proxy = open_proxy(held(goal=3, enough=3))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    client.send("GET k", "GET k")
    assert client.receive(10) == b"$-1\r\n" * 2
    assert [stall.outstanding for stall in proxy.trace().stalls] == [2]


def test_one_by_one_lets_a_single_reply_out(open_proxy: OpenProxy) -> None:
    """What is sent for it comes while all others still wait."""
    proxy = open_proxy(held(goal=3, enough=1, one_by_one=True))
    client = Client(proxy.endpoint_for(0))
    proxy.mark("go", 0)
    client.send("GET k", "GET k", "GET k")
    for _ in range(4):
        assert client.receive(5) == b"$-1\r\n"
        client.send("GET k")
    assert client.receive(15) == b"$-1\r\n" * 3
    proxy.mark("end", 0)
    wire = shape_of(proxy.trace())
    assert (wire.outstanding_most, wire.commands) == (3, 7)


def test_one_by_one_the_oldest_waits_where_another_connection_can_be_answered(open_proxy: OpenProxy) -> None:
    """Who waits for the oldest command alone is not answered by the reply to any other."""
    proxy = open_proxy(held(goal=3, enough=1, one_by_one=True))
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
    oldest = proxy.trace().connections[0].commands[0]
    assert oldest.reply is not None
    assert oldest.reply.order > max(mark.order for mark in proxy.trace().marks)


def test_only_the_window_and_only_the_workload_is_held(open_proxy: OpenProxy) -> None:
    """A handshake in the window passes, and so does everything before `go` and after `end`."""
    proxy = open_proxy(held(goal=100, enough=100, patience_s=60.0))
    client = Client(proxy.endpoint_for(0))
    assert client.call("GET k", 5) == b"$-1\r\n"
    proxy.mark("go", 0)
    assert client.call("PING", 7) == b"+PONG\r\n"
    client.send("GET k")
    proxy.mark("end", 0)
    assert client.receive(5) == b"$-1\r\n"
    assert client.call("GET k", 5) == b"$-1\r\n"


def test_a_server_is_verified_unless_the_target_says_otherwise() -> None:
    """As in the libraries that are told the same."""
    assert client_context(Tls()).verify_mode is ssl.CERT_REQUIRED
    assert client_context(Tls(verify=False)).verify_mode is ssl.CERT_NONE


def test_a_proxy_leaves_no_connection_behind(server: Server, tmp_path: Path) -> None:
    """Nor one that is only just being accepted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with proxied(server.endpoint, SUBJECT, Script(), tmp_path) as proxy:
            endpoint = proxy.endpoint_for(0)
            clients = [Client(endpoint) for _ in range(50)]
        del proxy
        gc.collect()
    assert [str(one.message) for one in caught] == []
    for client in clients:
        with pytest.raises(ConnectionError):
            raise_if_ended(client.receive(1))
