"""What the harness says of a server's errors, and how it reaches one."""

from typing import Any

import pytest
import redis
import redis.exceptions
from pydantic import SecretStr
from redis._parsers.base import BaseParser

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import AnotherServerError, TargetError, TargetLostError
from respmark.target.control import Control, explain
from respmark.target.spawn import Server
from respmark.target.target import Reached, Target
from tests.builders.plan import HIDDEN

PLAIN, SECURE = Endpoint(host="h", port=7000), Endpoint(host="h", port=7000, tls=Tls())


def from_server(line: str) -> Exception:
    """Return the error that the library makes of a server's error line."""
    error = BaseParser.parse_error(line)  # type: ignore[no-untyped-call]
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    ("line", "says", "advises"),
    [
        ("WRONGPASS invalid username-password pair.", "refused the password", "check user and password: "),
        ("ERR invalid password", "refused the password", "check user and password"),
        ("NOAUTH Authentication required.", "asks for a password", "--password-file or --ask-password"),
        ("ERR AUTH called without any password configured for the default user.", "has no password", "leave it out"),
        ("NOPERM User bench has no permissions", "does not let this user do what is needed", "docs/targets.md"),
        ("LOADING Redis is loading the dataset in memory", "is still loading its data", "wait until it is done"),
        ("MISCONF Redis is configured to save RDB snapshots", "refuses to write", "turn persistence off"),
        ("READONLY You can't write against a read only replica.", "is a read-only replica", "name the primary"),
        ("ERR max number of clients reached", "has no connection free", "raise `maxclients`"),
        ("ERR DB index is out of range", "has no database 0", "out of range"),
        ("MOVED 42 10.0.0.6:6379", "does not serve the run's keys in its cluster", "name the primary"),
        ("CLUSTERDOWN The cluster is down", "does not serve the run's keys in its cluster", "name the primary"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "is out of memory", "raise its `maxmemory`"),
        ("ERR unknown command 'FLUSHDB'", "answered with an error", "nknown command"),
    ],
)
def test_a_servers_error_is_explained(line: str, says: str, advises: str) -> None:
    """What it means and what to do stand beside the server's own words; host and port were right."""
    words = explain(from_server(line), PLAIN)
    assert words.startswith("the target at h:7000 ")
    assert says in words
    assert advises in words
    assert "cannot be reached" not in words


@pytest.mark.parametrize(
    ("error", "endpoint", "words"),
    [
        ("Error 111 connecting to h:7000. Connection refused.", PLAIN, "refused.; is the server running there?"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number", SECURE, "do not agree on TLS"),
        ("certificate verify failed: self-signed certificate", SECURE, "do not agree on TLS"),
        ("Connection closed by server.", PLAIN, "if it speaks TLS, write rediss://"),
        ("Timeout reading from h:7000", SECURE, "if it does not speak TLS, write redis://"),
        ("a\nlong\n  story", Endpoint(unix_socket="/s"), "the target at unix socket /s cannot be reached: "),
        ("", PLAIN, "cannot be reached: ConnectionError: no answer; check host, port and network"),
    ],
)
def test_a_networks_error_is_explained(error: str, endpoint: Endpoint, words: str) -> None:
    """What did not work between us and the server, and what to look at."""
    said = explain(redis.exceptions.ConnectionError(error), endpoint)
    assert words in said
    assert "\n" not in said


def test_a_connection_that_worked_is_not_lost_to_tls() -> None:
    """The server went away, or it closes connections that are idle."""
    words = explain(redis.exceptions.ConnectionError("Connection closed by server."), PLAIN, has_answered=True)
    assert "was it stopped, or is its `timeout` not 0" in words
    assert "TLS" not in words


class FakeConnection:
    """A library's connection that fails as it is told."""

    def __init__(self, connecting: Exception | None = None, answering: Exception | None = None) -> None:
        self._connecting, self._answering = connecting, answering
        self.sent: list[tuple[Any, ...]] = []
        self._sock: FakeConnection | None = self

    def connect(self) -> None:
        """Connect, or fail."""
        if self._connecting:
            raise self._connecting

    def disconnect(self) -> None:
        """Be gone."""
        self._sock = None

    def send_command(self, *words: Any) -> None:  # noqa: ANN401 - as the library
        """Take a command."""
        self.sent.append(words)

    def read_response(self) -> Any:  # noqa: ANN401 - as the library
        """Answer, or fail."""
        if self._answering:
            raise self._answering
        return b"PONG"

    def recv(self, _size: int) -> bytes:
        """Fail, or say that the other side has closed."""
        if self._answering:
            raise self._answering
        return b""


def control_over(connection: FakeConnection) -> Control:
    """Return a control connection over this."""
    control = Control(PLAIN)
    control._connection = connection
    return control


@pytest.mark.parametrize(
    ("answering", "kind"),
    [
        (redis.exceptions.ResponseError("ERR no"), TargetError),
        (redis.exceptions.BusyLoadingError("loading"), TargetError),
        (redis.exceptions.AuthenticationError("Authentication required."), TargetError),
        (redis.exceptions.ConnectionError("gone"), TargetLostError),
        (redis.exceptions.TimeoutError("late"), TargetLostError),
        (BrokenPipeError("gone"), TargetLostError),
    ],
)
def test_refused_and_lost_are_told_apart(answering: Exception, kind: type[Exception]) -> None:
    """A server that says no is there; one that says nothing is lost, and nothing more is sent or read."""
    control = control_over(connection := FakeConnection(answering=answering))
    with pytest.raises(TargetError) as caught:
        control.command("PING")
    assert type(caught.value) is kind
    if kind is TargetLostError:
        for again in (
            lambda: control.command("FLUSHDB"),
            lambda: control.send_raw(b"x"),
            lambda: control.receive_raw(5),
        ):
            with pytest.raises(TargetLostError, match="the connection was lost before"):
                again()
        assert connection.sent == [("PING",)]


@pytest.mark.parametrize(
    "connection",
    [
        FakeConnection(connecting=redis.exceptions.ConnectionError("Connection refused.")),
        FakeConnection(connecting=redis.exceptions.AuthenticationError("invalid username-password pair")),
        FakeConnection(answering=redis.exceptions.ConnectionError("gone")),
        FakeConnection(answering=redis.exceptions.BusyLoadingError("loading")),
    ],
)
def test_a_target_that_was_never_reached_is_not_lost(connection: FakeConnection) -> None:
    """Whatever goes wrong in opening is an error of the target's, explained."""
    with pytest.raises(TargetError, match="the target at h:7000") as caught:
        control_over(connection).open()
    assert type(caught.value) is TargetError


@pytest.mark.parametrize(
    ("answering", "said"), [(None, "closed the connection"), (TimeoutError("timed out"), "timed out")]
)
def test_an_end_in_bulk_loading_is_a_lost_target(answering: Exception | None, said: str) -> None:
    """A connection that closes in the middle does not look like an empty reply."""
    with pytest.raises(TargetLostError, match=said):
        control_over(FakeConnection(answering=answering)).receive_raw(5)


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_connection_that_the_server_closed_while_it_was_idle_is_made_anew(
    server: Server, *, is_checked: bool
) -> None:
    """Where it is known which server it must lead to, and nowhere else."""
    target = Target(lambda: Reached(server.endpoint), allow_flush=True)
    if not is_checked:
        target.control.check = None
    with Control(server.endpoint) as other:
        other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    assert target.alive() is is_checked
    assert is_checked is (target.control._connection._sock is not None)
    target.close()


def test_a_connection_that_would_be_made_anew_to_another_server_is_not(server: Server) -> None:
    """What was permitted on one server is done on no other."""
    with Control(server.endpoint) as control:

        def refuse(_control: Control) -> None:
            raise AnotherServerError("elsewhere")

        control.check = refuse
        with Control(server.endpoint) as other:
            other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        with pytest.raises(AnotherServerError):
            control.command("FLUSHDB")
        with pytest.raises(TargetLostError):
            control.command("FLUSHDB")


def test_the_endpoint_reaches_the_connection() -> None:
    """User, password, database and TLS files arrive at the library; TCP, TLS and sockets are three kinds."""
    endpoint = Endpoint(
        host="h",
        port=7000,
        database=3,
        username="bench",
        password=SecretStr(HIDDEN),
        tls=Tls(ca_file="/ca.pem", certificate_file="/c.pem", key_file="/k.pem"),
    )
    connection = Control(endpoint)._connection
    assert (connection.host, connection.port, connection.db) == ("h", 7000, 3)
    assert (connection.username, connection.password) == ("bench", HIDDEN)
    assert (connection.ca_certs, connection.certfile, connection.keyfile) == ("/ca.pem", "/c.pem", "/k.pem")
    assert connection.check_hostname
    assert HIDDEN not in explain(OSError(HIDDEN), endpoint)
    assert type(Control(PLAIN)._connection) is redis.Connection
    assert type(Control(Endpoint(unix_socket="/s"))._connection) is redis.UnixDomainSocketConnection
