"""The library: a client of fifty lines, RESP2 over a blocking socket."""

import socket
from collections.abc import Iterable, Sequence
from typing import Any

__version__ = "0.1"

Command = Sequence[bytes]


class ReplyError(Exception):
    """The server answered with an error."""


class Connection:
    """One connection; made with its first command, and anew with the next when it was lost."""

    def __init__(
        self, host: str | None, port: int | None, unix_socket: str | None = None, password: str | None = None
    ) -> None:
        self._address = (host, port, unix_socket)
        self._password = password
        self._socket: socket.socket | None = None

    def call(self, *command: bytes) -> Any:  # noqa: ANN401 - a reply can be anything
        """Send one command; return its reply."""
        return self.batch([command])[0]

    def batch(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands in one write, then read all their replies; raise the first error among them."""
        try:
            self.send(commands)
            return self.read(len(commands))
        except OSError:
            self.close()
            raise

    def transaction(self, commands: Sequence[Command]) -> list[Any]:
        """Send MULTI, the commands and EXEC in one write; return what EXEC returns."""
        replies: list[Any] = self.batch([(b"MULTI",), *commands, (b"EXEC",)])[-1]
        return replies

    def send(self, commands: Iterable[Command]) -> None:
        """Send commands in one write."""
        (self._socket or self.connect()).sendall(b"".join(encoded(command) for command in commands))

    def read(self, count: int) -> list[Any]:
        """Read so many replies, then raise the first error among them."""
        replies = [self._reply() for _ in range(count)]
        for reply in replies:
            if isinstance(reply, ReplyError):
                raise reply
        return replies

    def connect(self) -> socket.socket:
        """Open the connection."""
        host, port, path = self._address
        if path is not None:
            opened = socket.socket(socket.AF_UNIX)
            opened.connect(path)
        else:
            opened = socket.create_connection((host or "", port or 0))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._file = opened, opened.makefile("rb")
        if self._password is not None:
            opened.sendall(encoded((b"AUTH", self._password.encode())))
            self.read(1)
        return opened

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._file.close()
            self._socket.close()
            self._socket = None

    def fileno(self) -> int:
        """Return the socket's number, for those who wait for several connections at once."""
        return (self._socket or self.connect()).fileno()

    def _reply(self) -> Any:  # noqa: ANN401 - as above
        line = self._line()
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            return ReplyError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self._bulk(int(rest))
        if kind == b"*":
            return self.read(int(rest))
        return int(rest) if kind == b":" else rest

    def _line(self) -> bytes:
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            message = "the server closed the connection"
            raise ConnectionResetError(message)
        return line[:-2]

    def _bulk(self, size: int) -> bytes:
        data = self._file.read(size + 2)
        if len(data) < size + 2:
            message = "the server closed the connection within a reply"
            raise ConnectionResetError(message)
        return data[:-2]


def encoded(command: Command) -> bytes:
    """Return a command as it is sent."""
    return b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in command)
