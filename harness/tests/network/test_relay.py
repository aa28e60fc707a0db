"""The relay passes every byte on, in order, and holds replies."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.network.round_trip import round_trip

LARGE = bytes(range(256)) * 40_000


@contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serve each connection with `answer` in a thread; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=served, args=(connection,), daemon=True).start()

        def served(connection: socket.socket) -> None:
            with connection:
                answer(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def echo(connection: socket.socket) -> None:
    with suppress(ConnectionError):
        while content := connection.recv(1 << 16):
            connection.sendall(content)


@contextmanager
def relay(port: int, hold_ns: int = 0) -> Iterator[int]:
    """Relay to this port; yield the relay's own."""
    command = [sys.executable, "-m", "respmark.network.relay"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        order = {"server": ["127.0.0.1", port], "listen": "127.0.0.1", "hold_ns": hold_ns}
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        yield json.loads(process.stdout.readline())["port"]
        process.stdin.close()
        assert process.wait() == 0


def at(port: int) -> Callable[[], Endpoint]:
    return lambda: Endpoint(host="127.0.0.1", port=port)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 30)


def received(connection: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        content = connection.recv(1 << 20)
        assert content
        found += content
    return bytes(found)


def test_every_byte_of_every_connection_comes_back_in_order() -> None:
    """More than any buffer holds goes both ways at once, on several connections."""
    with server(echo) as port, relay(port, hold_ns=1_000_000) as relayed:
        connections = [connect(relayed) for _ in range(5)]
        for connection in connections:
            threading.Thread(target=connection.sendall, args=(LARGE,)).start()
        for connection in connections:
            with connection:
                assert received(connection, len(LARGE)) == LARGE


def test_replies_are_held() -> None:
    """None comes earlier; the first one of a connection is late by its handshake, too."""
    hold_ns = 20_000_000
    with server(echo) as port, relay(port, hold_ns) as relayed, connect(relayed) as connection:
        for trips in (2, 1, 1):
            begun_ns = time.monotonic_ns()
            connection.sendall(b"PING\r\n")
            assert received(connection, 6) == b"PING\r\n"
            assert time.monotonic_ns() - begun_ns >= trips * hold_ns


def test_a_round_trip_is_calibrated() -> None:
    """PING takes about as long as was asked for, as the relay holds replies for less than that."""
    with server(echo) as port, round_trip(20_000_000, at(port)) as made:
        assert made.relayed().port != port
        assert made.alone_ns < made.p50_ns
        with closing(connect(made.relayed().port or 0)) as connection:
            connection.sendall(b"PING\r\n")
            assert received(connection, 6) == b"PING\r\n"


def test_a_round_trip_to_nobody_is_refused() -> None:
    """The relay closes what it cannot pass on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(TargetError), round_trip(20_000_000, at(port)):
        pass


def test_a_round_trip_follows_a_server_that_was_started_again_elsewhere() -> None:
    """New connections lead to where it is now."""

    def other(connection: socket.socket) -> None:
        connection.recv(6)
        connection.sendall(b"+HERE\r\n")

    with server(echo) as port, server(other) as second:
        found = [port]
        with round_trip(20_000_000, lambda: Endpoint(host="127.0.0.1", port=found[-1])) as made:
            found.append(second)
            made.follow()
            with closing(connect(made.relayed().port or 0)) as connection:
                connection.sendall(b"PING\r\n")
                assert received(connection, 7) == b"+HERE\r\n"
