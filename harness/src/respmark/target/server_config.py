"""The configuration of our own server, which reads it from standard input, and its certificates.

An authority vouches for this one server, and is deleted with the run's folder.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from respmark.contract.trial import Endpoint, Tls

MAX_CLIENTS: Final = 10_000
"""Connections that a server takes, unless its name says otherwise."""
TAKEN_AWAY: Final = ("ACL", "CONFIG", "DEBUG", "MODULE", "REPLICAOF", "SLAVEOF")
"""Commands that would change the server from the network; nobody who measures needs them. Redis 6 and later has all."""


@dataclass(frozen=True)
class Certificates:
    """PEM files in one folder."""

    authority: Path
    """The authority that clients trust."""
    certificate: Path
    """The server's, with the chain up to the authority."""
    key: Path
    """The server's private key."""

    @property
    def tls(self) -> Tls:
        """Return how runners speak TLS to a server with this certificate: they verify it, and need none themselves."""
        return Tls(ca_file=str(self.authority))

    def for_servers(self) -> ssl.SSLContext:
        """Return what another server on this machine needs to pose as this one."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


@dataclass(frozen=True)
class Secured:
    """Where a server listens with TLS, beside its port without TLS."""

    port: int
    certificates: Certificates


def make_certificates(folder: Path) -> Certificates:
    """Make an authority and a server's certificate in a folder that only this user can access."""
    import trustme  # noqa: PLC0415 - takes as long to load as a third of the harness, and few runs need it

    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1", "localhost")
    made = Certificates(folder / "ca.pem", folder / "server.pem", folder / "server-key.pem")
    authority.cert_pem.write_to_path(made.authority)
    trustme.Blob(b"".join(pem.bytes() for pem in issued.cert_chain_pems)).write_to_path(made.certificate)
    made.key.touch(mode=0o600)
    issued.private_key_pem.write_to_path(made.key)
    return made


def configuration(
    endpoint: Endpoint, folder: Path, secured: Secured | None = None, more: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the configuration for a server: nothing is persisted unless `more` says so, and nobody else is let in."""
    settings = {
        "port": str(endpoint.port or 0),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxclients": str(MAX_CLIENTS),
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
    settings |= more
    return _lines(settings, endpoint.password.get_secret_value() if endpoint.password else None)


def container_configuration(password: str) -> str:
    """Return what a server in a container reads besides its command: its password, and the disabled commands."""
    return _lines({}, password)


def _lines(settings: dict[str, str], password: str | None) -> str:
    settings |= {} if password is None else {"requirepass": password}
    taken_away = (f'rename-command {name} ""' for name in TAKEN_AWAY)
    return "\n".join([*(f"{name} {_quoted(value)}" for name, value in settings.items()), *taken_away, ""])


def _quoted(value: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'
