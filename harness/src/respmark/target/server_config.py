"""The configuration of our own server, which reads it from standard input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.target.certificates import Certificates

TAKEN_AWAY: Final = ("CONFIG", "DEBUG", "MODULE", "SLAVEOF")
"""Commands that would change the server from the network; nobody who measures needs them."""
TAKEN_AWAY_SINCE: Final = {"REPLICAOF": (5, 0), "ACL": (6, 0)}
"""The same, by version: older servers do not know them, and do not start if an unknown command is named."""
REFUSED_SINCE_7: Final = ("enable-debug-command", "enable-protected-configs", "enable-module-command")


@dataclass(frozen=True)
class Secured:
    """Where a server listens with TLS, beside its port without TLS."""

    port: int
    certificates: Certificates


def configuration(endpoint: Endpoint, folder: Path, version: tuple[int, ...], secured: Secured | None = None) -> str:
    """Return the configuration for a server of this version: nothing is persisted, and nobody else is let in."""
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
    if endpoint.password is not None:
        settings["requirepass"] = endpoint.password.get_secret_value()
    if version >= (7, 0):
        settings |= dict.fromkeys(REFUSED_SINCE_7, "no")
    names = [*TAKEN_AWAY, *(name for name, since in TAKEN_AWAY_SINCE.items() if version >= since)]
    return "\n".join([*(f"{name} {_quoted(value)}" for name, value in settings.items()), *_taken_away(names), ""])


def container_configuration(password: str) -> str:
    """Return what a server in a container reads besides its command: its password, and the disabled commands."""
    return "\n".join([f"requirepass {_quoted(password)}", *_taken_away(TAKEN_AWAY), ""])


def _taken_away(names: tuple[str, ...] | list[str]) -> list[str]:
    return [f'rename-command {name} ""' for name in names]


def _quoted(value: str) -> str:
    """Return a value, whatever it contains, quoted as the server reads it."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'
