"""A server that answers as a script says."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import BinaryIO


@contextlib.contextmanager
def answering(**replies: bytes) -> Iterator[int]:
    """Answer commands on a free loopback port by their first word; what is not listed gets OK; give the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, replies), daemon=True).start()
        yield listener.getsockname()[1]
        # Wakes the thread that waits in accept.
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, replies: Mapping[str, bytes]) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection, replies), daemon=True).start()


def _serve(connection: socket.socket, replies: Mapping[str, bytes]) -> None:
    with contextlib.suppress(OSError), connection, connection.makefile("rb") as reader:
        while header := reader.readline():
            words = [_word(reader) for _ in range(int(header[1:]))]
            connection.sendall(replies.get(words[0].decode().lower(), b"+OK\r\n"))


def _word(reader: BinaryIO) -> bytes:
    return reader.read(int(reader.readline()[1:]) + 2)[:-2]
