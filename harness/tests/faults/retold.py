"""A server in front of another that answers some commands in its own words."""

import socket
from collections.abc import Callable
from typing import BinaryIO, Final

from tests.integration.servers import Serve

Retell = Callable[[bytes], bytes]
"""Makes another answer from the answer of the server behind, both as they stand on the wire."""
NOTHING: Final = b"$0\r\n\r\n"


class Retold(Serve):
    """Passes every command on, and retells the answers to those that are named."""

    def __init__(self, port: int, **retell: Retell) -> None:
        self._port = port
        self._retell = retell

    def __call__(self, connection: socket.socket) -> None:
        """Serve a connection to its end."""
        with (
            socket.create_connection(("127.0.0.1", self._port)) as behind,
            connection.makefile("rb") as asked,
            behind.makefile("rb") as answers,
        ):
            while header := asked.readline():
                words = [_bulk(asked) for _ in range(int(header[1:]))]
                behind.sendall(header + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words))
                retell = self._retell.get(words[0].decode().lower(), _unchanged)
                connection.sendall(retell(_answer(answers)))


def _unchanged(answer: bytes) -> bytes:
    return answer


def info(change: Callable[[str], str]) -> Retell:
    """Return what changes the text of INFO."""

    def retell(answer: bytes) -> bytes:
        text = change(answer.split(b"\r\n", 1)[1].decode()).encode()
        return b"$%d\r\n%b\r\n" % (len(text), text)

    return retell


def without(name: str) -> Retell:
    """Return what takes a line out of INFO."""
    return info(lambda text: "\r\n".join(row for row in text.split("\r\n") if not row.startswith(f"{name}:")))


def saying(name: str, value: str) -> Retell:
    """Return what gives a line of INFO another value."""

    def change(text: str) -> str:
        rows = text.split("\r\n")
        return "\r\n".join(f"{name}:{value}" if row.startswith(f"{name}:") else row for row in rows)

    return info(change)


def _bulk(reader: BinaryIO) -> bytes:
    return reader.read(int(reader.readline()[1:]) + 2)[:-2]


def _answer(reader: BinaryIO) -> bytes:
    first = reader.readline()
    kind, rest = first[:1], first[1:].strip()
    if kind == b"$" and int(rest) >= 0:
        return first + reader.read(int(rest) + 2)
    if kind == b"*":
        return first + b"".join(_answer(reader) for _ in range(max(0, int(rest))))
    return first
