"""What breaks a trial's server, or what lies before it, and mends it; and what can be known of the server meanwhile."""

import signal
from collections.abc import Sequence
from typing import Final, Protocol, cast

from respmark.network.counts import Counts
from respmark.network.relay import Relay
from respmark.network.treatments import Refusal, Treatment
from respmark.servers.control import Control
from respmark.servers.node import OwnNode
from respmark.servers.server import Server
from respmark.specs.faults import FaultShape


class Breaking(Protocol):
    """Breaks something and mends it; whatever fails raises a ServerError."""

    @property
    def look_ns(self) -> int:
        """Return how long to wait between two looks at what callers see."""

    def begin(self) -> None:
        """Let the fault begin."""

    def end(self) -> None:
        """Mend what is to be mended."""

    def is_over(self) -> bool:
        """Return whether a fault is over that ends by itself."""

    def release(self) -> None:
        """Let a server go on that stands still."""

    def values(self, keys: Sequence[bytes]) -> list[int] | None:
        """Return the counters with these keys, 0 for one that is missing; None: nobody can be asked now."""

    def look(self) -> None:
        """Take note of what is not counted elsewhere, at each look at what callers see."""

    def counts(self) -> Counts:
        """Return what clients did since this was asked before."""


class RelayBreaking:
    """A fault of one server, or of the relay that clients reach it through, see `Breaking`."""

    look_ns: Final[int] = 250_000_000

    def __init__(self, made: FaultShape, server: Server, relay: Relay) -> None:
        self._made, self._server, self._relay = made, server, relay
        self._is_away = False
        """Whether the server can be asked nothing."""

    def begin(self) -> None:
        """Treat connections, or the server's process, as the fault's row says."""
        made, self._is_away = self._made, self._made.server != "runs"
        if made.reply_s:
            self._relay.delay(round(made.reply_s * 1e9), handshakes=False)
        elif made.server == "paused":
            self._node.pause()
        else:
            closes = made.existing == "pass"
            refusal = Refusal(made.error, made.passed, made.refused, closes=closes) if made.error else None
            self._relay.treat(Treatment(made.existing), Treatment(made.new), refusal)
        if made.server == "killed":
            self._node.stop(signal.SIGKILL)

    def end(self) -> None:
        """Let the server and its connections be as they were before."""
        if self._made.server == "killed":
            self._node.start()
        if self._made.server == "paused":
            self._node.resume()
        elif self._made.reply_s:
            self._relay.delay(0)
        else:
            self._relay.treat(Treatment.PASS)
        self._is_away = False

    def is_over(self) -> bool:
        """Return False: it is mended, or lasts."""
        return False

    def release(self) -> None:
        """Let the server go on, if it stands still."""
        if self._made.server == "paused":
            self._node.resume()

    def values(self, keys: Sequence[bytes]) -> list[int] | None:
        """Return the counters, as the server itself says."""
        if self._is_away:
            return None
        with Control(self._server.endpoint) as control:
            return [int(value or 0) for value in control.command("MGET", *keys)]

    def look(self) -> None:
        """Do nothing: the relay counts."""

    def counts(self) -> Counts:
        """Return what the relay counted."""
        return self._relay.counts()

    @property
    def _node(self) -> OwnNode:
        return cast("OwnNode", self._server.node)  # the plan has seen to it
