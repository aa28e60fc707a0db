"""The relay passes every byte on, in order, and holds replies."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import cast

import pytest

from respmark.errors import InvalidRequestError, ServerError
from respmark.network.relay import Relay
from respmark.network.round_trip import RoundTrip, calibrated, remarks
from tests.network.raw import at, connect, echo, received, server

LARGE = bytes(range(256)) * 40_000


@contextmanager
def relay(port: int, hold_ns: int = 0) -> Iterator[int]:
    """Relay to this port; yield the relay's own."""
    with closing(Relay(at(port))) as made:
        made.delay(hold_ns)
        yield made.endpoint.port or 0


def test_every_byte_of_every_connection_comes_back_in_order() -> None:
    """More than any buffer holds goes both ways at once, on several connections."""
    with server(echo) as port, relay(port, hold_ns=1_000_000) as relayed:
        connections = [connect(relayed) for _ in range(5)]
        for connection in connections:
            threading.Thread(target=connection.sendall, args=(LARGE,)).start()
        for connection in connections:
            with connection:
                assert received(connection, len(LARGE)) == LARGE


def test_replies_are_held() -> None:
    """None comes earlier; the first one of a connection is late by its handshake, too."""
    hold_ns = 20_000_000
    with server(echo) as port, relay(port, hold_ns) as relayed, connect(relayed) as connection:
        for trips in (2, 1, 1):
            begun_ns = time.monotonic_ns()
            connection.sendall(b"PING\r\n")
            assert received(connection, 6) == b"PING\r\n"
            assert time.monotonic_ns() - begun_ns >= trips * hold_ns


def test_a_round_trip_is_calibrated() -> None:
    """PING takes about as long as was asked for, as the relay holds replies for less than that."""
    with server(echo) as port, closing(Relay(at(port))) as relayed:
        made = calibrated(relayed, 20_000_000, print)
        assert made.relay.endpoint.port != port
        assert made.alone_ns < made.p50_ns
        with closing(connect(made.relay.endpoint.port or 0)) as connection:
            connection.sendall(b"PING\r\n")
            assert received(connection, 6) == b"PING\r\n"


def test_a_round_trip_to_nobody_is_refused() -> None:
    """The relay closes what it cannot pass on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with closing(Relay(at(port))) as relayed, pytest.raises(ServerError):
        calibrated(relayed, 20_000_000, print)


class StillRelay:
    """A relay whose way takes as long as we say."""

    def __init__(self, way_ns: int) -> None:
        self.way_ns, self.delay_ns = way_ns, 0

    def delay(self, ns: int) -> None:
        self.delay_ns = ns


class StillRoundTrip(RoundTrip):
    """One of PINGs that take exactly so long."""

    def _ping(self) -> tuple[float, float]:
        assert isinstance(self.relay, StillRelay)
        took_ns = self.relay.way_ns + self.relay.delay_ns
        return took_ns, 2 * took_ns


def still(way_ns: int) -> tuple[StillRelay, RoundTrip, list[str]]:
    found, notes = StillRelay(way_ns), list[str]()
    made = StillRoundTrip(cast("Relay", found), 200_000, notes.append)
    return found, made, notes


def test_a_way_that_changes_is_made_up_for_before_a_block_and_told_after_it() -> None:
    """By as much as it has changed; the run has one remark for all relays that make it."""
    found, made, notes = still(50_000)
    assert (found.delay_ns, notes) == (150_000, [])
    made.check("sync, round 1")
    found.way_ns = 93_000
    made.check("pool, round 1")
    assert notes.pop().startswith("after pool, round 1, PING takes 0.243 ms through the relay in place of 0.2 ms: ")
    made.adjust()
    assert found.delay_ns == 107_000
    made.check("sync, round 2")
    other = still(60_000)[1]
    other.check("sync, round 1")
    (remark,) = remarks([made, other])
    assert remark.startswith("round trip 0.2 ms: PING took 0.243 to 0.243 ms at 1 of 4 looks after blocks; ")


def test_a_way_that_takes_as_long_as_was_asked_for_is_not_measured_again() -> None:
    """Its p99 is known, too."""
    found, made, _ = still(200_000)
    assert (found.delay_ns, made.p50_ns, made.p99_ns) == (0, 200_000, 400_000)


def test_what_cannot_be_made_up_for_is_refused_at_the_start_and_told_later() -> None:
    """Nothing can be held for less than no time."""
    with pytest.raises(InvalidRequestError, match=r"0.2 ms is not possible here: PING takes 0.230 ms"):
        still(230_000)
    found, made, notes = still(130_000)
    assert notes.pop().startswith("0.130 ms of the round trip of 0.2 ms are the way through relay and server")
    found.way_ns = 230_000
    made.adjust()
    made.check("sync, round 1")
    assert found.delay_ns == 0
    assert len(notes) == 1


def test_the_program_ends_when_its_input_does() -> None:
    """Nothing is left, however the run ends."""
    command = [sys.executable, "-m", "respmark.network.relay_program"]
    order = {"server": ["127.0.0.1", 1], "listen": "127.0.0.1", "ports": [0], "frames": False}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.communicate(json.dumps(order).encode() + b"\n")
        assert process.wait() == 0
