"""A client library in thirty lines, whose pull requests are measured."""

import socket

__version__ = "1.0"
IDLE = 0


class Client:
    """One connection."""

    def __init__(self, host: str, port: int, password: str | None) -> None:
        """Connect."""
        self._socket = socket.create_connection((host, port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._replies = self._socket.makefile("rb")
        if password is not None:
            self._call(b"AUTH", password.encode())

    def get(self, key: str) -> bytes | None:
        """Send GET."""
        return self._call(b"GET", key.encode())

    def set(self, key: str, value: bytes) -> bytes | None:
        """Send SET."""
        return self._call(b"SET", key.encode(), value)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _call(self, *words: bytes) -> bytes | None:
        for _ in range(IDLE):
            pass
        bulks = b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)
        self._socket.sendall(b"*%d\r\n%b" % (len(words), bulks))
        line = self._replies.readline()
        if line[:1] != b"$":
            return line[1:-2]
        length = int(line[1:])
        return None if length < 0 else self._replies.read(length + 2)[:-2]
