"""What the harness says of a server's errors, and how it reaches one."""

import pytest
import redis
import redis.exceptions
from redis._parsers.base import BaseParser

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import AnotherServerError, ServerLostError
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.servers.refusals import explain

PLAIN, SECURE = Endpoint(host="h", port=7000), Endpoint(host="h", port=7000, tls=Tls())


def from_server(line: str) -> Exception:
    error = BaseParser.parse_error(line)  # type: ignore[no-untyped-call]
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    ("line", "says", "advises"),
    [
        ("WRONGPASS invalid username-password pair.", "refused the password", "check user and password: "),
        ("NOAUTH Authentication required.", "asks for a password", "--password-file or --ask-password"),
        ("NOPERM User bench has no permissions", "does not let this user do what is needed", "docs/measuring.md"),
        ("LOADING Redis is loading the dataset in memory", "is still loading its data", "wait until it is done"),
        ("MISCONF Redis is configured to save RDB snapshots", "rejects writes", "turn persistence off"),
        ("ERR max number of clients reached", "has no connection free", "raise `maxclients`"),
        ("MOVED 42 10.0.0.6:6379", "does not serve the run's keys", "when its slots do not move"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "is out of memory", "raise its `maxmemory`"),
        ("READONLY You can't write against a read only replica.", "is a read-only replica", "name the primary"),
        ("CLUSTERDOWN Hash slot not served", "does not serve the run's keys", "when its slots do not move"),
        ("MASTERDOWN Link with MASTER is down", "cannot serve now", "see its log"),
        ("DENIED Redis is running in protected mode", "is in protected mode", "set a password"),
    ],
)
def test_a_servers_error_is_explained(line: str, says: str, advises: str) -> None:
    """What it means and what to do stand beside the server's own line, with its code; host and port were right."""
    words = explain(from_server(line), PLAIN)
    assert line.removeprefix("ERR ") in words
    assert words.startswith("the server at h:7000 ")
    assert says in words
    assert advises in words
    assert "cannot be reached" not in words


@pytest.mark.parametrize(
    ("error", "endpoint", "words"),
    [
        ("Error 111 connecting to h:7000. Connection refused.", PLAIN, "refused.; is a server running there?"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number", SECURE, "disagree on TLS"),
        ("Connection closed by server.", PLAIN, "if it speaks TLS, write rediss://"),
        ("Timeout reading from h:7000", SECURE, "if it does not speak TLS, write redis://"),
        ("", PLAIN, "cannot be reached: ConnectionError: no answer; check host, port and network"),
    ],
)
def test_a_networks_error_is_explained(error: str, endpoint: Endpoint, words: str) -> None:
    """What did not work between us and the server, and what to look at."""
    said = explain(redis.exceptions.ConnectionError(error), endpoint)
    assert words in said
    assert "\n" not in said


def test_a_connection_that_would_be_made_anew_to_another_server_is_not(server: Node) -> None:
    """What was permitted on one server is done on no other."""
    with Control(server.endpoint) as control:

        def refuse(_control: Control) -> None:
            raise AnotherServerError("elsewhere")

        control.check = refuse
        with Control(server.endpoint) as other:
            other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        with pytest.raises(AnotherServerError):
            control.command("FLUSHDB")
        with pytest.raises(ServerLostError):
            control.command("FLUSHDB")
