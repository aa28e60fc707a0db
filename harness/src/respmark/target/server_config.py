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
    settings = [
        ("port", str(endpoint.port or 0)),
        ("bind", "127.0.0.1"),
        ("dir", str(folder)),
        ("save", ""),
        ("appendonly", "no"),
        ("daemonize", "no"),
        ("maxclients", "10000"),
    ]
    if endpoint.unix_socket is not None:
        settings += [("unixsocket", endpoint.unix_socket), ("unixsocketperm", "700")]
    if secured is not None:
        settings += _tls(secured)
    if endpoint.password is not None:
        settings.append(("requirepass", endpoint.password.get_secret_value()))
    if version >= (7, 0):
        settings += [(name, "no") for name in REFUSED_SINCE_7]
    lines = [f"{name} {_quoted(value)}" for name, value in settings]
    return "\n".join([*lines, *(f'rename-command {name} ""' for name in _taken_away(version)), ""])


def _tls(secured: Secured) -> list[tuple[str, str]]:
    """Return the settings for TLS; clients need no certificate: the password lets them in, as it does without TLS."""
    files = secured.certificates
    return [
        ("tls-port", str(secured.port)),
        ("tls-cert-file", str(files.certificate)),
        ("tls-key-file", str(files.key)),
        ("tls-ca-cert-file", str(files.authority)),
        ("tls-auth-clients", "no"),
    ]


def container_configuration(password: str) -> str:
    """Return what a server in a container reads besides its command: its password, and the disabled commands."""
    taken_away = (f'rename-command {name} ""' for name in TAKEN_AWAY)
    return "\n".join([f"requirepass {_quoted(password)}", *taken_away, ""])


def _taken_away(version: tuple[int, ...]) -> list[str]:
    return [*TAKEN_AWAY, *(name for name, since in TAKEN_AWAY_SINCE.items() if version >= since)]


def _quoted(value: str) -> str:
    """Return a value, whatever it contains, quoted as the server reads it."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'
