"""A relay between clients and one server: a process that holds replies back (`relay_program.py`)."""

import json
import socket
import ssl
import subprocess
import sys
from dataclasses import dataclass
from typing import IO, Final, cast

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError, TargetError
from respmark.machine.process_group import end_child
from respmark.machine.timer_slack import least_timer_slack
from respmark.network.relay_program import Address, connected

LIMIT_S: Final = 5.0
"""The longest wait for a reply through the relay."""


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


class Relay:
    """The process; it ends by itself when its standard input does: when this process ends, however it ends."""

    def __init__(self, server: Endpoint, listen: ListenAddress = LOOPBACK) -> None:
        """Start it; raises InvalidRequestError where this system has no such relay."""
        if sys.platform != "linux":
            raise InvalidRequestError("--rtt needs Linux: its relay delays data with a timerfd")
        command = [sys.executable, "-m", "respmark.network.relay_program"]
        with least_timer_slack():  # it sleeps until replies are due
            self._process = subprocess.Popen(  # noqa: S603 - this Python
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        self.pid = self._process.pid
        self._server = server
        where: Address = server.unix_socket or (server.host or "", server.port or 0)
        port = self._ask({"server": where, "listen": listen.bind_host})["port"]
        self._own: Address = (listen.bind_host, port)
        moved = {"host": listen.advertised_host, "port": port, "unix_socket": None}
        self.endpoint: Endpoint = server.model_copy(update=moved)
        """Where clients connect."""

    def delay(self, ns: int) -> None:
        """Hold every reply for so long from now on."""
        self._ask({"hold_ns": ns})

    def connect(self) -> socket.socket:
        """Return a connection of our own through it, on which the server's TLS is spoken if it has any."""
        plain = connected(self._own)
        plain.settimeout(LIMIT_S)
        return plain if self._server.tls is None else _encrypted(self._server.tls, plain)

    def close(self) -> None:
        """End it."""
        with self._process:
            end_child(self._process)

    def _ask(self, order: dict[str, object]) -> dict[str, int]:
        orders, answers = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        orders.write(json.dumps(order).encode() + b"\n")
        orders.flush()
        answer: dict[str, int] = json.loads(answers.readline() or b"{}")
        if not answer:
            raise TargetError("the relay between clients and server ended; its error message is above")
        return answer


def _encrypted(tls: Tls, plain: socket.socket) -> socket.socket:
    """Speak TLS; nothing secret is sent, so the certificate is not verified."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if tls.certificate_file is not None:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
    return context.wrap_socket(plain)
