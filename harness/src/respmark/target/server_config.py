"""The configuration of our own server, which reads it from standard input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.target.server_config import Certificates

TAKEN_AWAY: Final = ("ACL", "CONFIG", "DEBUG", "MODULE", "REPLICAOF", "SLAVEOF")
"""Commands that would change the server from the network; nobody who measures needs them. Redis 6 and later has all."""


@dataclass(frozen=True)
class Secured:
    """Where a server listens with TLS, beside its port without TLS."""

    port: int
    certificates: Certificates


def configuration(endpoint: Endpoint, folder: Path, secured: Secured | None = None) -> str:
    """Return the configuration for a server: nothing is persisted, and nobody else is let in."""
    settings = {
        "port": str(endpoint.port or 0),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxclients": "10000",
    }
    if endpoint.unix_socket is not None:
        settings |= {"unixsocket": endpoint.unix_socket, "unixsocketperm": "700"}
    if secured is not None:
        settings |= {
            "tls-port": str(secured.port),
            "tls-cert-file": str(secured.certificates.certificate),
            "tls-key-file": str(secured.certificates.key),
            "tls-ca-cert-file": str(secured.certificates.authority),
            "tls-auth-clients": "no",  # the password lets clients in, as it does without TLS
        }
    return _lines(settings, endpoint.password.get_secret_value() if endpoint.password else None)


def container_configuration(password: str) -> str:
    """Return what a server in a container reads besides its command: its password, and the disabled commands."""
    return _lines({}, password)


def _lines(settings: dict[str, str], password: str | None) -> str:
    settings |= {} if password is None else {"requirepass": password}
    taken_away = (f'rename-command {name} ""' for name in TAKEN_AWAY)
    return "\n".join([*(f"{name} {_quoted(value)}" for name, value in settings.items()), *taken_away, ""])


def _quoted(value: str) -> str:
    """Return a value, whatever it contains, quoted as the server reads it."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'
