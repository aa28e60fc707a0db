"""What the harness says of a server's errors, and how it reaches one."""

import contextlib
from typing import Any

import pytest
import redis
import redis.exceptions
from pydantic import SecretStr
from redis._parsers.base import BaseParser

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import TargetError, TargetLostError
from respmark.target.control import Control, explain
from tests.builders.plan import HIDDEN

PLAIN = Endpoint(host="h", port=7000)


def from_server(line: str) -> Exception:
    """Return the error that the library makes of a server's error line."""
    error = BaseParser.parse_error(line)  # type: ignore[no-untyped-call]
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    ("line", "says", "advises"),
    [
        (
            "WRONGPASS invalid username-password pair or user is disabled.",
            "refused the password",
            "check user and password: ",
        ),
        ("ERR invalid password", "refused the password", "check user and password"),
        (
            "NOAUTH Authentication required.",
            "asks for a password",
            "--password-file or --ask-password",
        ),
        (
            "ERR AUTH <password> called without any password configured for the default user. Are you sure?",
            "has no password, but one was given",
            "leave it out",
        ),
        (
            "NOPERM User bench has no permissions to run the 'flushdb' command",
            "does not let this user do what is needed",
            "docs/targets.md",
        ),
        ("LOADING Redis is loading the dataset in memory", "is still loading its data", "wait until it is done"),
        (
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist on disk.",
            "refuses to write",
            "turn persistence off",
        ),
        ("READONLY You can't write against a read only replica.", "is a read-only replica", "name the primary"),
        ("ERR max number of clients reached", "has no connection free", "raise `maxclients`"),
        ("ERR DB index is out of range", "has no database 0", "out of range"),
        ("MOVED 42 10.0.0.6:6379", "does not serve the run's keys in its cluster", "name the primary"),
        ("CLUSTERDOWN The cluster is down", "does not serve the run's keys in its cluster", "name the primary"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "memory", "maxmemory"),
    ],
)
@pytest.mark.parametrize("raw", [False, True], ids=["from the library", "as the server wrote it"])
def test_a_servers_error_is_explained(line: str, says: str, advises: str, *, raw: bool) -> None:
    """What it means and what to do stand beside the server's own words, on whichever way they came."""
    words = explain(Exception(line) if raw else from_server(line), PLAIN)
    assert words.startswith("the target at h:7000 ")
    assert says in words
    assert advises in words
    assert "cannot be reached" not in words


def test_a_connection_that_worked_is_not_lost_to_tls() -> None:
    """The server went away, or it closes connections that are idle."""
    words = explain(redis.exceptions.ConnectionError("Connection closed by server."), PLAIN, has_answered=True)
    assert "was it stopped, or is its `timeout` not 0" in words
    assert "TLS" not in words


@pytest.mark.parametrize(
    "line", ["ERR unknown command 'FLUSHDB', with args beginning with: ", "WRONGTYPE Operation against a key"]
)
def test_a_server_that_answers_is_not_called_unreachable(line: str) -> None:
    """An error reply that has no hint of its own is still a reply: host and port are right."""
    words = explain(from_server(line), PLAIN)
    assert line.split(maxsplit=1)[1].split(",", maxsplit=1)[0] in words
    assert "cannot be reached" not in words


@pytest.mark.parametrize(
    ("error", "endpoint", "words"),
    [
        (
            redis.exceptions.ConnectionError("Error 111 connecting to h:7000. Connection refused."),
            PLAIN,
            "cannot be reached: Error 111 connecting to h:7000. Connection refused.; is the server running there?",
        ),
        (
            redis.exceptions.ConnectionError("[SSL: WRONG_VERSION_NUMBER] wrong version number"),
            Endpoint(host="h", port=7000, tls=Tls()),
            "do not agree on TLS",
        ),
        (
            redis.exceptions.ConnectionError("certificate verify failed: self-signed certificate"),
            Endpoint(host="h", port=7000, tls=Tls()),
            "do not agree on TLS",
        ),
        (
            redis.exceptions.ConnectionError("Connection closed by server."),
            PLAIN,
            "if it speaks TLS, write rediss://",
        ),
        (
            redis.exceptions.TimeoutError("Timeout reading from h:7000"),
            PLAIN,
            "cannot be reached: TimeoutError: Timeout reading from h:7000; check host, port and network",
        ),
        (OSError(), PLAIN, "cannot be reached: OSError: no answer"),
        (OSError("a\nlong\n  story"), Endpoint(unix_socket="/s"), "the target at unix socket /s cannot be reached: "),
    ],
)
def test_a_networks_error_is_explained(error: Exception, endpoint: Endpoint, words: str) -> None:
    """What did not work between us and the server, and what to look at."""
    said = explain(error, endpoint)
    assert words in said
    assert "\n" not in said


def test_the_explanation_never_has_the_password() -> None:
    """The endpoint is named by its address alone."""
    endpoint = Endpoint(host="h", port=7000, username="u", password=SecretStr(HIDDEN))
    assert HIDDEN not in explain(OSError("no"), endpoint)


class FakeConnection:
    """A library's connection that fails as it is told."""

    def __init__(self, connecting: Exception | None = None, answering: Exception | None = None) -> None:
        self._connecting, self._answering = connecting, answering
        self.sent: list[tuple[Any, ...]] = []
        self.disconnected = False
        self._sock: FakeConnection | None = self

    def connect(self) -> None:
        """Connect, or fail."""
        if self._connecting:
            raise self._connecting

    def disconnect(self) -> None:
        """Be gone."""
        self.disconnected = True

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


def test_a_connection_that_was_lost_is_not_opened_again_by_itself() -> None:
    """It might lead to another server, for which nothing was permitted."""
    connection = FakeConnection()
    connection._sock = None  # as the library does when it disconnects
    with pytest.raises(TargetLostError, match="the connection was lost before"):
        control_over(connection).command("FLUSHDB")
    assert connection.sent == []


def test_a_command_is_sent_as_it_is_and_its_reply_returned() -> None:
    """Nothing is added to what the harness sends."""
    connection = FakeConnection()
    assert control_over(connection).command("CONFIG", "GET", b"save") == b"PONG"
    assert connection.sent == [("CONFIG", "GET", b"save")]


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
    """A server that says no is there; one that says nothing is lost."""
    with pytest.raises(TargetError) as caught:
        control_over(FakeConnection(answering=answering)).command("PING")
    assert type(caught.value) is kind


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


def test_an_end_in_bulk_loading_is_a_lost_target() -> None:
    """A connection that closes in the middle does not look like an empty reply."""
    with pytest.raises(TargetLostError, match="closed the connection"):
        control_over(FakeConnection()).receive_raw(5)


def test_a_connection_that_was_lost_in_bulk_loading_is_not_read_on() -> None:
    """Replies that come late would be taken for those of later commands: the connection is closed."""
    connection = FakeConnection(answering=TimeoutError("timed out"))
    with pytest.raises(TargetLostError):
        control_over(connection).receive_raw(5)
    assert connection.disconnected


def test_bulk_loading_over_a_connection_that_was_lost_says_so() -> None:
    """After a lost connection the library has no socket: that is a lost target, not a stack trace."""
    connection = FakeConnection()
    connection._sock = None  # as the library does when it disconnects
    with pytest.raises(TargetLostError):
        control_over(connection).send_raw(b"x")


@pytest.mark.parametrize(
    ("endpoint", "kind"),
    [
        (PLAIN, redis.Connection),
        (Endpoint(unix_socket="/s"), redis.UnixDomainSocketConnection),
        (Endpoint(host="h", port=1, tls=Tls()), redis.SSLConnection),
    ],
)
def test_every_way_to_a_server_has_its_connection(endpoint: Endpoint, kind: type) -> None:
    """TCP, TLS and unix sockets are three kinds of connection."""
    assert type(Control(endpoint)._connection) is kind


def test_the_endpoint_reaches_the_connection() -> None:
    """User, password, database and TLS files arrive at the library."""
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


def test_closing_never_fails() -> None:
    """A connection that is broken already is closed all the same."""

    class Broken(FakeConnection):
        def disconnect(self) -> None:
            message = "gone"
            raise OSError(message)

    with contextlib.closing(control_over(Broken())) as control:
        assert control.command("PING") == b"PONG"
