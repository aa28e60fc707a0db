"""Certificates of a server that speaks TLS: an authority vouches for this one server, or for the nodes of a cluster."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from respmark.contract.trial import Tls


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
