"""Round trips of a length that was asked for: how long a relay must delay replies for that, which changes with time.

What the way through the relay takes by itself depends on the processors, and on what else the machine does. So PING is
measured again before each block, when the delay can still be corrected, and after it, when it can only be told.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from respmark.errors import InvalidRequestError, ServerError, ServerLostError
from respmark.machine.kernel import process_cpu_ns
from respmark.network.relay import Relay

PING: Final = b"*1\r\n$4\r\nPING\r\n"
PINGS: Final = 300
"""At most, at one look."""
LEAST_PINGS: Final = 50
LOOK_NS: Final = 200_000_000
"""How long a look lasts with a number of PINGs between these."""
TRIES: Final = 12
NEAR: Final = 0.02
"""Calibration ends when p50 is so near to what was asked for, as a share of it."""
NEAR_ENOUGH: Final = 0.1
"""The farthest that p50 may be."""
MOSTLY: Final = 0.5
"""If the way alone takes more than this share, what it varies by is a large part of the whole."""


class RoundTrip:
    """A round trip that a relay makes, and what PING took at each look."""

    def __init__(self, relay: Relay, asked_ns: int, note: Callable[[str], None]) -> None:
        """Calibrate it, and `note` what the user should know, now and later.

        Raises InvalidRequestError if this machine cannot make it, OSError if no server answers.
        """
        self.relay, self.asked_ns, self._note = relay, asked_ns, note
        self._pings = int(min(PINGS, max(LEAST_PINGS, LOOK_NS // asked_ns)))
        self._delay_ns = 0.0
        alone = self._ping()
        self.alone_ns = alone[0]
        """p50 of PING through the relay when it holds nothing: its own cost, with the server's."""
        self.p50_ns, self.p99_ns = self._corrected(*alone)
        """Of PING through the relay before the first block; with what the relay itself takes."""
        if self._is_off(self.p50_ns):
            raise InvalidRequestError(
                f"a round trip of {asked_ns / 1e6:g} ms is not possible here: PING takes {self.p50_ns / 1e6:.3f} ms "
                f"through the relay, {self.alone_ns / 1e6:.3f} ms when it delays nothing; choose a longer --rtt, or "
                "wait until the machine is quiet"
            )
        self.looks = 0
        """After blocks."""
        self.off_ns: list[float] = []
        """p50 after those blocks where it was too far from what was asked for."""
        if self.alone_ns > MOSTLY * asked_ns:
            note(
                f"{self.alone_ns / 1e6:.3f} ms of the round trip of {asked_ns / 1e6:g} ms are the way through "
                "relay and server, which varies with what else this machine does: it is measured again with each block"
            )

    def adjust(self) -> None:
        """Correct the delay before a block's trials begin; raises ServerLostError if the server does not answer."""
        try:
            self._corrected(*self._ping())
        except OSError as error:
            raise ServerLostError(f"the server does not answer through the relay: {error}") from error

    def check(self, block: str) -> None:
        """Note what PING takes after a block if it is not what was asked for; a lost server is noticed elsewhere."""
        try:
            p50_ns, _ = self._ping()
        except OSError:
            return
        self.looks += 1
        if self._is_off(p50_ns):
            self.off_ns.append(p50_ns)
            self._note(
                f"after {block}, PING takes {p50_ns / 1e6:.3f} ms through the relay in place of "
                f"{self.asked_ns / 1e6:g} ms: figures of clients that wait for each reply are off by as much"
            )

    def _corrected(self, p50_ns: float, p99_ns: float) -> tuple[float, float]:
        """Change the delay until the median PING takes what was asked for; return p50 and p99."""
        for _ in range(TRIES):
            if abs(p50_ns - self.asked_ns) <= NEAR * self.asked_ns:
                break
            self._delay_ns = max(0.0, self._delay_ns + self.asked_ns - p50_ns)
            self.relay.delay(round(self._delay_ns))
            p50_ns, p99_ns = self._ping()
        return p50_ns, p99_ns

    def _is_off(self, p50_ns: float) -> bool:
        return abs(p50_ns - self.asked_ns) > NEAR_ENOUGH * self.asked_ns

    def _ping(self) -> tuple[float, float]:
        """Return p50 and p99 of PING; a server that asks for a password answers with an error, which takes as long."""
        took_ns = []
        with self.relay.connect() as connection:
            for _ in range(self._pings):
                begun_ns = time.perf_counter_ns()
                connection.sendall(PING)
                if not connection.recv(4096):
                    raise ConnectionResetError("the connection was closed")
                took_ns.append(time.perf_counter_ns() - begun_ns)
        p50_ns, p99_ns = np.percentile(took_ns, (50, 99))
        return float(p50_ns), float(p99_ns)


def calibrated(relay: Relay, asked_ns: int, note: Callable[[str], None]) -> RoundTrip:
    """Return the round trip that a relay makes from now on; `note` is told what the user should know.

    Raises InvalidRequestError if this system or machine cannot make such a round trip, ServerError if the server does
    not answer through it.
    """
    try:
        return RoundTrip(relay, asked_ns, note)
    except OSError as error:
        said = f"the server does not answer through the relay that adds the round trip: {error}"
        raise ServerError(said) from error


def cpu_ns_of(relays: Iterable[RoundTrip]) -> int | None:
    """Return the CPU time that relays have used so far, in ns; None if one has ended."""
    used = [process_cpu_ns(one.relay.pid) for one in relays]
    return None if None in used else sum(one for one in used if one is not None)


def remarks(every: Iterable[RoundTrip]) -> list[str]:
    """Return what a reader of a run's results should know of its relays: one remark for each round trip they make."""
    by_length = defaultdict[int, list[RoundTrip]](list)
    for one in every:
        by_length[one.asked_ns].append(one)
    found = []
    for asked_ns, made in by_length.items():
        if off_ms := [ns / 1e6 for one in made for ns in one.off_ns]:
            looks = sum(one.looks for one in made)
            found.append(
                f"round trip {asked_ns / 1e6:g} ms: PING took {min(off_ms):.3f} to {max(off_ms):.3f} ms at "
                f"{len(off_ms)} of {looks} looks after blocks; figures of clients that wait for each reply are off by "
                "as much"
            )
    return found
