"""A relay between clients and one server: a process that holds replies back, or does worse (`relay_program.py`)."""

import json
import socket
import ssl
import subprocess
import sys
from dataclasses import dataclass
from typing import IO, Final, cast

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError, ServerError, UnsupportedError
from respmark.machine.process_group import end_child
from respmark.machine.timer_slack import least_timer_slack
from respmark.network.counts import Counts
from respmark.network.relay_program import Address, connected
from respmark.network.treatments import Refusal, Treatment, can_drop, can_vanish
from respmark.servers.ports import fixed_ports

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

    def __init__(self, server: Endpoint, listen: ListenAddress = LOOPBACK, *, frames: bool = False) -> None:
        """Start it; raises InvalidRequestError where this system has no such relay.

        `frames`: it follows commands and replies, which costs it time, so that some can be refused.
        """
        if sys.platform != "linux":
            raise InvalidRequestError("--rtt needs Linux: its relay delays data with a timerfd")
        command = [sys.executable, "-m", "respmark.network.relay_program"]
        with least_timer_slack():  # it sleeps until replies are due
            self._process = subprocess.Popen(  # noqa: S603 - this Python
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        self.pid = self._process.pid
        self._server = server
        self._frames = frames
        where: Address = server.unix_socket or (server.host or "", server.port or 0)
        port = self._ask({"server": where, "listen": listen.bind_host, "ports": fixed_ports(), "frames": frames})[
            "port"
        ]
        self._own: Address = (listen.bind_host, port)
        moved = {"host": listen.advertised_host, "port": port, "unix_socket": None}
        self.endpoint: Endpoint = server.model_copy(update=moved)
        """Where clients connect."""

    def delay(self, ns: int, *, handshakes: bool = True) -> None:
        """Hold every reply for so long from now on, and what is held for so long at most.

        `handshakes`: the first request of a connection, too, as behind a long way, but not at a server that is slow.
        """
        self._ask({"hold_ns": ns, "handshakes": handshakes})

    def treat(self, existing: Treatment, new: Treatment = Treatment.PASS, refusal: Refusal | None = None) -> None:
        """Do this to all connections that exist now, and this to those that are opened from now on.

        `refusal` says what REFUSE refuses. Raises UnsupportedError if this user or relay cannot do it.
        """
        if Treatment.DROP in {existing, new} and not can_drop():
            raise UnsupportedError("the kernel does not let this user drop packets (SO_ATTACH_FILTER)")
        if existing is Treatment.VANISH and not can_vanish():
            raise UnsupportedError("connections vanish only for users with CAP_NET_ADMIN")
        if refusal is not None and not (self._frames or refusal.closes):
            raise UnsupportedError("a relay that does not follow commands cannot refuse them")
        self._ask({"existing": existing, "new": new, "refusal": None if refusal is None else vars(refusal)})

    def counts(self) -> Counts:
        """Return what went through it since it was asked before; from then on, it looks how late its timers are."""
        return Counts(**self._ask({}))

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
            raise ServerError("the relay between clients and server ended; its error message is above")
        return answer


def _encrypted(tls: Tls, plain: socket.socket) -> socket.socket:
    """Speak TLS; nothing secret is sent, so the certificate is not verified."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if tls.certificate_file is not None:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
    return context.wrap_socket(plain)
