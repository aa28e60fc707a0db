"""Servers of a special kind: one that speaks TLS, and one that answers as a script says."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def listening(serve: "Serve", context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Accept connections on a free loopback port, each served by a thread of its own; give the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, serve, context), daemon=True).start()
        yield listener.getsockname()[1]
        # Wakes the thread that waits in accept.
        listener.shutdown(socket.SHUT_RDWR)


class Serve:
    """What is done with a connection."""

    def __call__(self, connection: socket.socket) -> None:
        """Serve it to its end."""
        raise NotImplementedError


class Answer(Serve):
    """Answers commands by their first word; what is not listed gets OK."""

    def __init__(self, **replies: bytes) -> None:
        self._replies = replies

    def __call__(self, connection: socket.socket) -> None:
        """Read whatever comes, command by command, as far as a test needs it."""
        with connection.makefile("rb") as reader:
            while header := reader.readline():
                words = [self._word(reader) for _ in range(int(header[1:]))]
                connection.sendall(self._replies.get(words[0].decode().lower(), b"+OK\r\n"))

    @staticmethod
    def _word(reader: BinaryIO) -> bytes:
        return reader.read(int(reader.readline()[1:]) + 2)[:-2]


class Forward(Serve):
    """Passes everything to a server on another port: a TLS front for a server that has none."""

    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, connection: socket.socket) -> None:
        """Pass bytes both ways."""
        with socket.create_connection(("127.0.0.1", self._port)) as behind:
            back = threading.Thread(target=_pump, args=(behind, connection), daemon=True)
            back.start()
            _pump(connection, behind)
            back.join()


class Leading(Serve):
    """Passes each new connection to the server to which the name leads at that moment."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(self, connection: socket.socket) -> None:
        """Pass bytes both ways."""
        Forward(self.port)(connection)


def _accept(listener: socket.socket, serve: Serve, context: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection, serve, context), daemon=True).start()


def _serve(connection: socket.socket, serve: Serve, context: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError), connection:
        if context is None:
            serve(connection)
            return
        with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secured:
            secured.do_handshake()
            serve(secured)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
