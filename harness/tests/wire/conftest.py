"""A proxy before a real server, and a client that is nothing but a socket."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.target.spawn import Server
from respmark.wire.proxy import Proxy, Script, proxied
from respmark.wire.trace import Subject
from tests.wire.strategies import encoded

LIMIT_S = 10.0
SUBJECT = Subject(client="socket", scenario=Scenario.SYNC, shape=Shape(), workload="none", commands=("GET", "SET"))

OpenProxy = Callable[..., Proxy]
OPENED: list["Client"] = []
"""By the test that runs."""


class Client:
    """A socket that speaks RESP when told to."""

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.unix_socket is not None:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(endpoint.unix_socket)
        else:
            self.socket = socket.create_connection((endpoint.host or "", endpoint.port or 0))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(LIMIT_S)
        OPENED.append(self)

    def send(self, *commands: str) -> None:
        """Send commands in one write."""
        self.socket.sendall(b"".join(encoded(command.encode().split()) for command in commands))

    def receive(self, size: int) -> bytes:
        """Receive exactly so many bytes, or what came before the end."""
        data = b""
        while len(data) < size and (part := self.socket.recv(size - len(data))):
            data += part
        return data

    def call(self, command: str, size: int) -> bytes:
        """Send one command and receive its reply of `size` bytes."""
        self.send(command)
        return self.receive(size)

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()


@pytest.fixture(autouse=True)
def _closed_clients() -> Iterator[None]:
    """Close every client of a test."""
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def open_proxy(server: Server, tmp_path: Path) -> Iterator[OpenProxy]:
    """Return what opens a proxy before the test's server."""
    with ExitStack() as stack:

        def open_one(script: Script | None = None, upstream: Endpoint | None = None) -> Proxy:
            return stack.enter_context(proxied(upstream or server.endpoint, SUBJECT, script or Script(), tmp_path))

        yield open_one
