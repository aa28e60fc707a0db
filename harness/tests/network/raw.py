"""A server that is no more than a socket, and connections to it."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from respmark.contract.trial import Endpoint


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


def at(port: int) -> Endpoint:
    return Endpoint(host="127.0.0.1", port=port)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 30)


def received(connection: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        content = connection.recv(1 << 20)
        assert content
        found += content
    return bytes(found)
