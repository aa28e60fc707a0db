"""A catalogue with the double for a client; a proxy before a real server, and a client that is nothing but a socket."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from respmark.conform.proxy import Proxy
from respmark.conform.trace import Subject
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.servers.node import Node
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import copy_specs
from tests.double import install
from tests.fake_node import resp

LIMIT_S = 30.0
SUBJECT = Subject("socket", Scenario.SYNC, Shape(), "none", ("GET", "SET"))
OPENED: list["Client"] = []
"""By the test that runs."""

OpenProxy = Callable[..., Proxy]


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
        self.socket.sendall(b"".join(resp(*command.encode().split()) for command in commands))

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
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def open_proxy(server: Node, tmp_path: Path) -> Iterator[OpenProxy]:
    with ExitStack() as stack:
        yield lambda upstream=server.endpoint, **script: stack.enter_context(
            Proxy(upstream, SUBJECT, tmp_path, **script)
        )


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    folder: Path = copy_specs(tmp_path_factory.mktemp("specs"))
    install(folder)
    return Catalogue(folder)
