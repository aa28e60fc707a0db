"""The configuration of a server of our own."""

from pathlib import Path

from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.target.server_config import Certificates, Secured, configuration

TCP = Endpoint(host="127.0.0.1", port=7000, password=SecretStr("secret"))


def test_nothing_is_persisted_and_nobody_else_is_let_in() -> None:
    """Files go to the run's own folder, whose name may have quotes, spaces and line ends."""
    lines = configuration(TCP, Path('/a "b"\\\nprotected-mode no')).splitlines()
    for line in (
        *('port "7000"', 'bind "127.0.0.1"', 'save ""', 'appendonly "no"', 'requirepass "secret"'),
        'dir "/a \\"b\\"\\\\\\nprotected-mode no"',
        'rename-command CONFIG ""',
    ):
        assert line in lines


def test_a_unix_socket_takes_the_place_of_the_port() -> None:
    """No port is opened where a socket was asked for, and nobody else may use the socket."""
    lines = configuration(Endpoint(unix_socket="/s"), Path("/own")).splitlines()
    for line in ('port "0"', 'unixsocket "/s"', 'unixsocketperm "700"'):
        assert line in lines


def test_tls_has_a_port_of_its_own() -> None:
    """Runners come in with TLS and without a certificate; the control connection keeps its port."""
    files = Certificates(Path("/own/ca.pem"), Path("/own/server.pem"), Path("/own/key.pem"))
    lines = configuration(TCP, Path("/own"), Secured(7001, files)).splitlines()
    for line in ('port "7000"', 'tls-port "7001"', 'tls-auth-clients "no"', 'tls-key-file "/own/key.pem"'):
        assert line in lines
