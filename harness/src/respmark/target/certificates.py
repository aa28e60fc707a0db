"""Certificates of a run's own: an authority that vouches for one server, and is forgotten with the run's folder."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from respmark.contract.trial import Tls

NAMES = ("127.0.0.1", "localhost")
"""Who the server's certificate is for."""


@dataclass(frozen=True)
class Certificates:
    """PEM files of one folder."""

    authority: Path
    """Whom clients trust."""
    certificate: Path
    """The server's, with what leads to the authority."""
    key: Path
    """The server's."""

    @property
    def tls(self) -> Tls:
        """Return how runners speak TLS to whoever has the certificate: it is verified, and they need none."""
        return Tls(ca_file=str(self.authority))

    def for_servers(self) -> ssl.SSLContext:
        """Return what another server on this machine needs to pass for this one."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def make_certificates(folder: Path) -> Certificates:
    """Make an authority and a server's certificate in a folder that only this user may look into."""
    import trustme  # noqa: PLC0415 - takes as long to load as a third of the harness, and few runs need it

    authority = trustme.CA()
    issued = authority.issue_cert(*NAMES)
    made = Certificates(folder / "ca.pem", folder / "server.pem", folder / "server-key.pem")
    authority.cert_pem.write_to_path(made.authority)
    for number, pem in enumerate(issued.cert_chain_pems):
        pem.write_to_path(made.certificate, append=number > 0)
    made.key.touch(mode=0o600)
    issued.private_key_pem.write_to_path(made.key)
    return made
