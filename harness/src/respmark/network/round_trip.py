"""Round trips of a length that was asked for: a relay process, calibrated by PING."""

import json
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final, cast

import numpy as np

from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, TargetError
from respmark.machine.process_group import end_child
from respmark.network.listen import LOOPBACK, ListenAddress
from respmark.network.relay import Address, connected

PINGS: Final = 300
TRIES: Final = 12
NEAR: Final = 0.02
"""Calibration ends when p50 is so near to what was asked for, as a share of it."""
NEAR_ENOUGH: Final = 0.1
"""The farthest that p50 may be."""
LIMIT_S: Final = 5.0


@dataclass(frozen=True)
class RoundTrip:
    """A relay at work."""

    asked_ns: int
    p50_ns: float
    """Of PING through the relay, when it was calibrated; with what the relay itself takes."""
    p99_ns: float
    alone_ns: float
    """p50 of PING through the relay when it holds nothing: its own cost, with the server's."""
    pid: int
    relayed: Callable[[], Endpoint]
    """Return where clients connect."""
    follow: Callable[[], None]
    """Lead new connections to where the server is now, after it was started again."""


@contextmanager
def round_trip(asked_ns: int, find: Callable[[], Endpoint], address: ListenAddress = LOOPBACK) -> Iterator[RoundTrip]:
    """Start a relay to the server that `find` finds, calibrate it, and end it at the end.

    The relay ends by itself when its standard input does: when this process ends, however it ends.

    Raises InvalidRequestError if this system or machine cannot make such a round trip, TargetError if the server does
    not answer through it.
    """
    if sys.platform != "linux":
        raise InvalidRequestError("--rtt needs Linux: its relay delays data with a timerfd")
    command = [sys.executable, "-m", "respmark.network.relay"]
    with subprocess.Popen(  # noqa: S603 - this Python
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            yield _calibrated(_Relay(process, find, address.bind_host), asked_ns, address.advertised_host)
        finally:
            end_child(process)


def _calibrated(relay: "_Relay", asked_ns: int, advertised_host: str) -> RoundTrip:
    try:
        return relay.calibrated(asked_ns, advertised_host)
    except OSError as error:
        said = f"the server does not answer through the relay that adds the round trip: {error}"
        raise TargetError(said) from error


class _Relay:
    def __init__(self, process: "subprocess.Popen[bytes]", find: Callable[[], Endpoint], bind_host: str) -> None:
        self._process, self._find, self._server, self._host = process, find, find(), bind_host
        self._port = self._ask({"server": _address(self._server), "listen": bind_host, "hold_ns": 0})["port"]

    def calibrated(self, asked_ns: int, advertised_host: str) -> RoundTrip:
        """Hold replies so long that the median PING takes what was asked for."""
        alone_ns, _ = self._ping()
        held_ns, p50_ns, p99_ns = 0.0, alone_ns, 0.0
        for _ in range(TRIES):
            held_ns = max(0.0, held_ns + asked_ns - p50_ns)
            self._ask({"hold_ns": round(held_ns)})
            p50_ns, p99_ns = self._ping()
            if abs(p50_ns - asked_ns) <= NEAR * asked_ns:
                break
        if abs(p50_ns - asked_ns) > NEAR_ENOUGH * asked_ns:
            raise InvalidRequestError(
                f"a round trip of {asked_ns / 1e6:g} ms is not possible here: PING takes {p50_ns / 1e6:.3f} ms through "
                f"the relay, {alone_ns / 1e6:.3f} ms when it delays nothing; choose a longer --rtt, or wait until the "
                "machine is quiet"
            )

        def relayed() -> Endpoint:
            # A server that is started again has another password.
            return self._find().model_copy(update={"host": advertised_host, "port": self._port, "unix_socket": None})

        return RoundTrip(asked_ns, p50_ns, p99_ns, alone_ns, self._process.pid, relayed, self._follow)

    def _follow(self) -> None:
        self._ask({"server": _address(self._find())})

    def _ask(self, order: dict[str, object]) -> dict[str, int]:
        orders, answers = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        orders.write(json.dumps(order).encode() + b"\n")
        orders.flush()
        answer: dict[str, int] = json.loads(answers.readline() or b"{}")
        if not answer:
            raise TargetError("the relay between clients and server ended; its error message is above")
        return answer

    def _ping(self) -> tuple[float, float]:
        """Return p50 and p99 of PING; a server that asks for a password answers with an error, which takes as long."""
        took_ns = []
        with connected((self._host, self._port)) as plain:
            plain.settimeout(LIMIT_S)
            connection = plain if self._server.tls is None else _encrypted(self._server, plain)
            for _ in range(PINGS):
                begun_ns = time.perf_counter_ns()
                connection.sendall(b"PING\r\n")
                if not connection.recv(4096):
                    raise TargetError("the server closed a connection through the relay that adds the round trip")
                took_ns.append(time.perf_counter_ns() - begun_ns)
        p50_ns, p99_ns = np.percentile(took_ns, [50, 99])
        return float(p50_ns), float(p99_ns)


def _address(server: Endpoint) -> Address:
    return server.unix_socket or (server.host or "", server.port or 0)


def _encrypted(server: Endpoint, plain: socket.socket) -> socket.socket:
    """Speak TLS; nothing secret is sent, so the certificate is not verified."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if server.tls is not None and server.tls.certificate_file is not None:
        context.load_cert_chain(server.tls.certificate_file, server.tls.key_file)
    return context.wrap_socket(plain)
