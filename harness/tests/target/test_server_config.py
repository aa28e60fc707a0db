"""The configuration of a server of our own."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.target.certificates import Certificates
from respmark.target.server_config import Secured, configuration

TCP = Endpoint(host="127.0.0.1", port=7000, password=SecretStr("secret"))


def test_nothing_is_persisted_and_nobody_else_is_let_in() -> None:
    """Persistence is off, only loopback is listened on, a password is asked for, files go to the run's own folder."""
    lines = configuration(TCP, Path("/own"), (7, 0)).splitlines()
    for line in ('port "7000"', 'bind "127.0.0.1"', 'save ""', 'appendonly "no"', 'dir "/own"', 'requirepass "secret"'):
        assert line in lines


def test_a_unix_socket_takes_the_place_of_the_port() -> None:
    """No port is opened where a socket was asked for, and nobody else may use the socket."""
    lines = configuration(Endpoint(unix_socket="/s"), Path("/own"), ()).splitlines()
    for line in ('port "0"', 'unixsocket "/s"', 'unixsocketperm "700"'):
        assert line in lines


def test_tls_has_a_port_of_its_own() -> None:
    """Runners come in with TLS and without a certificate; the control connection keeps its port."""
    files = Certificates(Path("/own/ca.pem"), Path("/own/server.pem"), Path("/own/key.pem"))
    lines = configuration(TCP, Path("/own"), (7, 0), Secured(7001, files)).splitlines()
    for line in ('port "7000"', 'tls-port "7001"', 'tls-auth-clients "no"', 'tls-key-file "/own/key.pem"'):
        assert line in lines


@pytest.mark.parametrize(
    ("version", "known", "unknown"),
    [
        ((), ["CONFIG", "DEBUG", "MODULE", "SLAVEOF"], ["REPLICAOF", "ACL", "enable-debug-command"]),
        ((6, 2), ["CONFIG", "REPLICAOF", "ACL"], ["enable-debug-command"]),
        ((8, 1), ["CONFIG", "ACL", "enable-debug-command", "enable-module-command"], []),
    ],
)
def test_older_servers_are_told_only_what_they_know(
    version: tuple[int, ...], known: list[str], unknown: list[str]
) -> None:
    """A server does not start where it is told of a command or a setting that it has not."""
    text = configuration(TCP, Path("/own"), version)
    assert all(name in text for name in known)
    assert not any(name in text for name in unknown)


def test_a_folder_may_have_any_name() -> None:
    """Quotes, spaces and line ends do not become settings."""
    text = configuration(TCP, Path('/a "b"\\\nprotected-mode no'), ())
    assert 'dir "/a \\"b\\"\\\\\\nprotected-mode no"' in text.splitlines()
