"""The harness's own connection to the target."""

import contextlib
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import redis
import redis.exceptions

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError, TargetLostError
from respmark.redaction import conceal, redacted
from respmark.target.password import WAYS
from respmark.target.url import address

TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 5.0
ELSEWHERE = (redis.exceptions.MovedError, redis.exceptions.ClusterDownError)
"""What redis-py makes of a cluster's MOVED and CLUSTERDOWN, whose first words it takes away."""


class Control:
    """One connection that speaks RESP2, with no library magic between us and the server's counters."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        conceal(endpoint.password.get_secret_value() if endpoint.password else None)
        # redis-py leaves much of its connections untyped.
        self._connection: Any = _connection_of(endpoint)
        self._has_answered = False

    def open(self) -> Self:
        """Connect and authenticate.

        Raises:
            TargetError: with what the server or the network said, and what to do.
        """
        try:
            self._connection.connect()
            self.command("PING")
            self._has_answered = True
        except TargetLostError as error:
            raise TargetError(str(error)) from error
        except (redis.exceptions.RedisError, OSError) as error:
            raise TargetError(explain(error, self.endpoint)) from error
        return self

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(redis.exceptions.RedisError, OSError):
            self._connection.disconnect()

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - a reply can be anything
        """Send one command and return its reply.

        Raises:
            TargetError: the server answered with an error.
            TargetLostError: it did not answer.
        """
        with self._explained():
            # The library would reconnect, perhaps to a server other than the one that we know.
            self._socket()
            self._connection.send_command(*words)
            return self._connection.read_response()

    def send_raw(self, data: bytes | memoryview) -> None:
        """Send bytes as they are, for bulk loading."""
        with self._explained():
            self._socket().sendall(data)

    def receive_raw(self, size: int) -> bytes:
        """Receive at most `size` bytes as they are, for bulk loading."""
        with self._explained():
            data = self._socket().recv(size)
        if not data:
            message = f"the target at {address(self.endpoint)} closed the connection"
            raise TargetLostError(message)
        return data

    def _socket(self) -> socket.socket:
        connected: socket.socket | None = self._connection._sock  # noqa: SLF001 - redis-py has no public way to it
        if connected is None:
            raise ConnectionResetError("the connection was lost before")
        return connected

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (redis.exceptions.BusyLoadingError, redis.exceptions.AuthenticationError) as error:
            # redis-py counts these as lost connections, but the server is there and has given its reason.
            raise TargetError(explain(error, self.endpoint)) from error
        except redis.exceptions.ResponseError as error:
            raise TargetError(explain(error, self.endpoint)) from error
        except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, OSError) as error:
            # Late replies would be taken for those of later commands.
            self._connection.disconnect()
            raise TargetLostError(explain(error, self.endpoint, has_answered=self._has_answered)) from error

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()


def explain(error: Exception, endpoint: Endpoint, *, has_answered: bool = False) -> str:
    """Return what the error means, and what to do about it; `has_answered`: it came on a connection that worked."""
    said = " ".join(str(error).split())
    # A server may repeat what it was sent.
    return f"the target at {address(endpoint)} {_meaning(error, said.lower(), redacted(said), endpoint, has_answered)}"


def _meaning(error: Exception, low: str, said: str, endpoint: Endpoint, has_answered: bool) -> str:  # noqa: FBT001 - it has one caller
    is_closed = "closed by server" in low or "reset by peer" in low
    hints = [
        (
            "wrongpass" in low or "invalid username-password" in low or "invalid password" in low,
            f"refused the password: {said}; check user and password: it is what the URL has, else {WAYS}",
        ),
        (
            "noauth" in low or "authentication required" in low,
            f"asks for a password: {said}; give it with {WAYS}, and a user as redis://user@host:port",
        ),
        ("without any password configured" in low, f"has no password, but one was given: {said}; leave it out"),
        (
            "noperm" in low or "no permissions" in low,
            f"does not let this user do what is needed: {said}; give the user the commands in docs/targets.md",
        ),
        ("loading" in low, f"is still loading its data: {said}; wait until it is done"),
        ("misconf" in low, f"refuses to write: {said}; see its log, or turn persistence off for the measurement"),
        ("read only replica" in low or "readonly" in low, f"is a read-only replica: {said}; name the primary"),
        ("max number of clients" in low, f"has no connection free: {said}; raise `maxclients` or close others"),
        (
            "ssl" in low or "certificate" in low,
            f"and we do not agree on TLS: {said}; rediss:// is for servers that speak TLS, redis:// for others",
        ),
        (
            has_answered and is_closed,
            f"closed the connection: {said}; was it stopped, or is its `timeout` not 0, so that it closes idle ones?",
        ),
        (
            endpoint.tls is None and is_closed,
            f"closed the connection: {said}; if it speaks TLS, write rediss://",
        ),
        (
            endpoint.tls is not None and "timeout" in low,
            f"did not answer the TLS handshake: {said}; if it does not speak TLS, write redis://",
        ),
        ("maxmemory" in low, f"is out of memory: {said}; raise its `maxmemory`, or use a smaller workload"),
        (
            "not allowed in cluster mode" in low and endpoint.database > 0,
            f"runs in cluster mode and has no database but 0: {said}; leave the database's number out of the URL",
        ),
        (
            isinstance(error, ELSEWHERE) or low.startswith(("moved ", "clusterdown")),
            f"does not serve the run's keys in its cluster: {said}; name the primary that has all slots",
        ),
        ("db index is out of range" in low, f"has no database {endpoint.database}: {said}"),
        ("refused" in low, f"cannot be reached: {said}; is the server running there?"),
    ]
    for applies, meaning in hints:
        if applies:
            return meaning
    if isinstance(error, redis.exceptions.ResponseError):
        return f"answered with an error: {said}"
    kind = type(error).__name__
    return f"cannot be reached: {kind}: {said or 'no answer'}; check host, port and network"


def _connection_of(endpoint: Endpoint) -> Any:  # noqa: ANN401 - as above: untyped
    common: dict[str, Any] = {
        "db": endpoint.database,
        "username": endpoint.username,
        "password": endpoint.password.get_secret_value() if endpoint.password else None,
        "protocol": 2,
        "socket_timeout": TIMEOUT_S,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": None,
    }
    kind: Any = _connection_class(endpoint)
    if endpoint.unix_socket is not None:
        return kind(path=endpoint.unix_socket, **common)
    common |= {"host": endpoint.host, "port": endpoint.port}
    if endpoint.tls is None:
        return kind(**common)
    return kind(
        ssl_ca_certs=endpoint.tls.ca_file,
        ssl_certfile=endpoint.tls.certificate_file,
        ssl_keyfile=endpoint.tls.key_file,
        ssl_cert_reqs="required" if endpoint.tls.verify else "none",
        ssl_check_hostname=endpoint.tls.verify,
        **common,
    )


def _connection_class(endpoint: Endpoint) -> type:
    if endpoint.unix_socket is not None:
        return redis.UnixDomainSocketConnection
    return redis.Connection if endpoint.tls is None else redis.SSLConnection
