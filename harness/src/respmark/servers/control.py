"""The harness's own connection to the server."""

import contextlib
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import redis
import redis.exceptions

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError, ServerLostError
from respmark.redaction import conceal
from respmark.servers.refusals import REFUSED, explain
from respmark.servers.url import address

PONG: Final = b"+PONG\r\n"
"""What ends a reply that is discarded: no value of a workload has a plus sign or a line's end."""
DISCARDED_BYTES: Final = 1 << 16
"""Read at once of such a reply."""
TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 5.0
LEAST_TIMEOUT_S: Final = 0.001
"""0 would mean not to wait at all, which is another error."""


class Control:
    """One connection that speaks RESP2, with no library magic between us and the server's counters."""

    check: Callable[["Control"], None] | None = None
    """Called after a reconnect, refuses another server; None: a connection that was closed is not opened again."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        conceal(endpoint.password.get_secret_value() if endpoint.password else None)
        # redis-py leaves much of its connections untyped.
        self._connection: Any = _connection_of(endpoint)
        self._has_answered = False

    def open(self, *greeting: str) -> Self:
        """Connect and authenticate; `greeting` is the first command, if not PING, which a user may be denied."""
        try:
            self._connection.connect()
            self.command(*(greeting or ("PING",)))
            self._has_answered = True
        except ServerLostError as error:
            raise ServerError(str(error)) from error
        except (redis.exceptions.RedisError, OSError) as error:
            raise ServerError(explain(error, self.endpoint)) from error
        return self

    @property
    def nodes(self) -> "list[Control]":
        """Return the connections to the nodes that keys are written to: of one server, this."""
        return [self]

    @property
    def replicas(self) -> "list[Control]":
        """Return the connections to nodes that only keep copies."""
        return []

    @property
    def every(self) -> "list[Control]":
        """Return the connections to all nodes, this one first."""
        return [*self.nodes, *self.replicas]

    def on_each(self, *words: str | bytes | int) -> list[Any]:
        """Send a command to every node that keys are written to, and return the replies."""
        return [node.command(*words) for node in self.nodes]

    def holding(self, _key: bytes) -> "Control":
        """Return the connection to the node that holds a key."""
        return self

    def together(self, keys: Iterable[bytes]) -> "Iterator[tuple[Control, list[bytes]]]":
        """Yield keys that one command can name, and the connection to the node that holds them."""
        yield self, list(keys)

    def split(
        self, _prefix: bytes, _digits: int, numbers: npt.NDArray[np.uint32]
    ) -> "Iterator[tuple[Control, npt.NDArray[np.uint32]]]":
        """Yield every node's connection with those of the keys that it holds: each is a prefix and a number."""
        yield self, numbers

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(redis.exceptions.RedisError, OSError):
            self._connection.disconnect()

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - a reply can be anything
        """Send one command and return its reply; a connection that the server closed while it was idle is made anew."""
        with self._explained():
            self._socket()
            if self.check is not None and self._was_closed():
                self._reopen(self.check)
            self._connection.send_command(*words)
            return self._connection.read_response()

    def subscribe(self, channel: str) -> socket.socket:
        """Subscribe to a channel; return the socket on which its messages come."""
        self.command("SUBSCRIBE", channel)
        return self._socket()

    def send_all(self, several: Sequence[tuple[str | bytes | int, ...]]) -> list[Any]:
        """Send several commands together and return their replies; a refusal stands, as a ServerError, in its place."""
        with self._explained():
            self._socket()
            self._connection.send_packed_command(self._connection.pack_commands(several))
            return [self._reply() for _ in several]

    def _reply(self) -> Any:  # noqa: ANN401 - a reply can be anything
        try:
            return self._connection.read_response()
        except REFUSED as error:
            return ServerError(explain(error, self.endpoint))

    def _was_closed(self) -> bool:
        """Return whether the server has closed the connection, on which no reply is owed, and let go of it then."""
        try:
            self._connection.can_read(timeout=0)
        except (redis.exceptions.ConnectionError, OSError):
            self._connection.disconnect()
            return True
        return False

    def _reopen(self, check: Callable[["Control"], None]) -> None:
        self._connection.connect()
        self.check = None
        try:
            check(self)
        except ServerError:
            self._connection.disconnect()
            raise
        finally:
            self.check = check

    def send_raw(self, data: bytes | memoryview) -> None:
        """Send bytes as they are, for bulk loading."""
        with self._explained():
            self._socket().sendall(data)

    def receive_raw(self, size: int) -> bytes:
        """Receive at most `size` bytes as they are, for bulk loading."""
        with self._explained():
            data = self._socket().recv(size)
        if not data:
            raise ServerLostError(f"the server at {address(self.endpoint)} closed the connection")
        return data

    def discard(self, *words: str | bytes | int) -> None:
        """Send a command, whose reply may be large, and a PING, whose reply ends it: only an error is looked at."""
        self.send_raw(b"".join(self._connection.pack_commands((words, ("PING",)))))
        begin = end = self.receive_raw(DISCARDED_BYTES)
        while not end.endswith(PONG):
            end = end[-len(PONG) :] + self.receive_raw(DISCARDED_BYTES)
        if begin.startswith(b"-"):
            said = begin.partition(b"\r\n")[0].decode(errors="replace").removeprefix("-")
            raise ServerError(explain(redis.exceptions.ResponseError(said.removeprefix("ERR ")), self.endpoint))

    def receive_within(self, size: int, seconds: float) -> bytes:
        """Receive at most `size` bytes as they are; none if none come within so many seconds."""
        with self._explained():
            connected = self._socket()
            connected.settimeout(max(seconds, LEAST_TIMEOUT_S))
            try:
                data = connected.recv(size)
            except TimeoutError:
                return b""
            finally:
                connected.settimeout(TIMEOUT_S)
        if not data:
            raise ServerLostError(f"the server at {address(self.endpoint)} closed the connection")
        return data

    @property
    def local_address(self) -> str:
        """Return our end of a TCP connection as CLIENT LIST shows it, if nothing in between changes it; else empty."""
        name = self._socket().getsockname()
        return f"{name[0]}:{name[1]}" if isinstance(name, tuple) else ""

    def _socket(self) -> socket.socket:
        # Without a socket, the library would connect, perhaps to a server other than the one that we know.
        connected: socket.socket | None = self._connection._sock  # noqa: SLF001 - redis-py has no public way to it
        if connected is None:
            raise ConnectionResetError("the connection was lost before")
        return connected

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except REFUSED as error:
            raise ServerError(explain(error, self.endpoint)) from error
        except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, OSError) as error:
            # Late replies would be taken for those of later commands.
            self._connection.disconnect()
            raise ServerLostError(explain(error, self.endpoint, has_answered=self._has_answered)) from error

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()


def _connection_of(endpoint: Endpoint) -> Any:  # noqa: ANN401 - redis-py's connections are untyped
    common: dict[str, Any] = {
        "db": endpoint.database,
        "username": endpoint.username,
        "password": endpoint.password.get_secret_value() if endpoint.password else None,
        "protocol": 2,
        "socket_timeout": TIMEOUT_S,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": None,
    }
    kinds: Any = redis  # untyped
    if endpoint.unix_socket is not None:
        return kinds.UnixDomainSocketConnection(path=endpoint.unix_socket, **common)
    common |= {"host": endpoint.host, "port": endpoint.port}
    if endpoint.tls is None:
        return kinds.Connection(**common)
    return kinds.SSLConnection(
        ssl_ca_certs=endpoint.tls.ca_file,
        ssl_certfile=endpoint.tls.certificate_file,
        ssl_keyfile=endpoint.tls.key_file,
        ssl_cert_reqs="required" if endpoint.tls.verify else "none",
        ssl_check_hostname=endpoint.tls.verify,
        **common,
    )
