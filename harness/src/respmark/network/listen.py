"""Where something that stands between clients and server listens."""

import ssl
from dataclasses import dataclass
from typing import Final

from respmark.contract.trial import Tls


@dataclass(frozen=True)
class ListenAddress:
    """Where a relay or a proxy listens, the host name that runners connect to, and the TLS that they speak there.

    That TLS ends at the proxy, which records the decrypted traffic; it connects to the server as the server's endpoint
    says.
    """

    bind_host: str
    advertised_host: str
    context: ssl.SSLContext | None = None
    tls: Tls | None = None


LOOPBACK: Final = ListenAddress("127.0.0.1", "127.0.0.1")
