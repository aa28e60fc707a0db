"""Windows that slide over a connection for each command in flight: one as it should be, and one that is not."""

import select
import time
from collections.abc import Mapping
from typing import Final

from tests.conform.double.liar import Liar
from tests.conform.double.tinyresp import ReplyError


class Spread(Liar):
    """Is honest: whichever command is answered lets the next one go, on the connection that is free."""

    def open(self) -> None:
        """Open a connection for each place in the window."""
        self.connections = {place: self.connect() for place in range(self.depth)}

    def slide(self, lane: int, deadline: float) -> int:
        """Keep `depth` commands in flight."""
        first, taken, done = self.firsts[lane] + self.taken[lane], 0, 0
        flying: dict[int, int] = {}
        """Places by the time at which their command was sent, the oldest first."""
        free = list(range(self.depth))
        while flying or free:
            for place in free:
                flying[place] = time.monotonic_ns()
                self.connections[place].send([self.command(first + taken)])
                taken += 1
            place = self.awaited(flying)
            begun_ns = flying.pop(place)
            try:
                self.connections[place].read(1)
                done += 1
                self.completed(begun_ns)
            except (ReplyError, OSError) as error:
                self.failed(error)
                self.reconnect(place, error)
            free = [place] if time.monotonic() < deadline else []
        self.taken[lane] += taken
        return done

    def awaited(self, flying: Mapping[int, int]) -> int:
        """Return a place whose command is answered, or will be next."""
        ready, _, _ = select.select([self.connections[place] for place in flying], [], [])
        return next(place for place in flying if self.connections[place] in ready)


class InTurn(Spread):
    """Awaits the oldest command only, whichever is answered."""

    def awaited(self, flying: Mapping[int, int]) -> int:
        """Return the oldest."""
        return next(iter(flying))


WINDOW: Final[dict[str, type[Liar]]] = {"spread": Spread, "in-turn": InTurn}
