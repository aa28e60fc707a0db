"""Holds replies back inside the window until the client has sent everything that it sends without reading one.

TCP has no flushes: one write can arrive in several reads, and a server answers the first command of a batch while the
last is still under way. The proxy therefore lets the client wait: replies go out only when no more commands can come
without them. What the client has sent by then is exactly what it sends without a reply, whatever the load on the
machine. A client cannot tell this from a slow network.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from respmark.contract.trial import Form, Scenario, Shape, Window, walkers

STALLS_WITH_PATIENCE: Final = 3
"""After this many stalls, it is clear that the client does not send what it should: more waiting shows nothing new."""
IMPATIENCE_S: Final = 0.02
"""How long the proxy waits from then on."""
OVERRUN_S: Final = 0.002
"""With as many commands as are due, this long without another one: the client sends no more than it should."""
TAIL_S: Final = 0.25
"""How long replies wait for more commands: fewer come at a slice's end, when one walker after another stops."""
SINGLES: Final = 10
"""So many single replies show whether a window slides. In one of 1,000 commands each would wait for all those before
it, and libraries give a reply up after half a second (redis-rs)."""


@dataclass(frozen=True)
class Hold:
    """When replies go out."""

    goal: int = 1
    """Number of a process's unanswered commands at which no more are due."""
    enough: int = 1
    """From this number on, the client may have a reason to send no more: `linger_s` instead of `patience_s`."""
    names: frozenset[str] = frozenset()
    """Commands whose replies are held back; handshakes never are."""
    pauses: frozenset[int] = frozenset()
    """Other numbers of unanswered commands at which the client may wait for replies: `linger_s`, and no stall."""
    one_by_one: bool = False
    """At the goal, release a single reply, `SINGLES` times: a sliding window sends one command in response, a burst
    does not.

    Over several connections, it is not the reply to the oldest command: a client that waits for that one sends nothing
    in response to any other.
    """
    linger_s: float = 0.1
    patience_s: float = 1.0
    """Below `enough`, this long without another command: the client waits for its replies."""


def goal_of(scenario: Scenario, shape: Shape) -> int:
    """Return the most commands of one process that may wait for a reply at once, by the scenario's definition."""
    depth, threads = shape.depth or 1, walkers(scenario, shape)
    match scenario:
        case Scenario.PIPELINING | Scenario.BATCHING:
            return depth * threads
        case Scenario.TRANSACTION:
            return depth + 2 if shape.form is Form.BATCHED else 1
        case Scenario.THREADS:
            return threads
        case Scenario.POOL:
            return min(threads, shape.max_total or threads)
        case _:
            return 1


def hold_for(scenario: Scenario, shape: Shape, names: frozenset[str], linger_times: float = 1.0) -> Hold:
    """Return how the proxy holds replies back; `linger_times` multiplies the wait for other walkers' commands."""
    goal = goal_of(scenario, shape)
    if scenario is Scenario.TRANSACTION:
        # EXEC may come in its own flush, after the replies to what it executes: its reply goes out at once.
        # MULTI may come in its own flush, too, before them.
        block = max(1, goal - 1)
        pauses = frozenset({1, shape.depth or 1})
        return Hold(block, enough=block, names=names - {"EXEC"}, pauses=pauses, linger_s=0.05)
    is_sliding = shape.window is Window.SLIDING
    if scenario in {Scenario.THREADS, Scenario.POOL} or is_sliding or walkers(scenario, shape) > 1:
        return Hold(goal, enough=1, names=names, one_by_one=is_sliding, linger_s=TAIL_S * linger_times)
    return Hold(goal, enough=goal, names=names)


class HeldCommand(NamedTuple):
    """A command whose reply is to be held back."""

    connection: int
    released: asyncio.Future[None]


NOTHING_HELD: Final = Hold()


class Gate:
    """Holds back the replies of one runner process."""

    def __init__(self, hold: Hold, stalled: Callable[[int], None]) -> None:
        self._hold = hold
        self._stalled = stalled
        self._waiting: dict[int, HeldCommand] = {}
        self._held = 0
        """How many of them are not released yet."""
        self._timer: asyncio.TimerHandle | None = None
        self._quiet_at = 0.0
        """When it has been quiet for long enough; the timer may ring before, and then waits for the rest."""
        self._stalls = 0
        self._singles = 0
        self._closed = False

    def close(self) -> None:
        """Begin to hold replies back: the window has begun."""
        self._closed = True

    def open(self) -> None:
        """Release everything, and hold nothing back any more."""
        self._closed = False
        self._cancel()
        self._release(self._waiting.values())

    def arrived(self, order: int, name: str, connection: int) -> None:
        """Note a command; if its reply must be held back, hold it."""
        if self._closed and name in self._hold.names:
            self._waiting[order] = HeldCommand(connection, asyncio.get_running_loop().create_future())
            self._held += 1
            self._restart()

    def holds(self, order: int) -> bool:
        """Return whether a command's reply must wait."""
        waiting = self._waiting.get(order)
        return waiting is not None and not waiting.released.done()

    async def passage(self, order: int) -> None:
        """Wait until a command's reply may go out."""
        if (waiting := self._waiting.get(order)) is not None:
            await waiting.released

    def answered(self, order: int) -> None:
        """Forget a command: its reply goes out, or its connection is gone."""
        waiting = self._waiting.pop(order, None)
        if waiting is None:
            return
        self._held -= not waiting.released.done()
        if self._held and self._timer is None:
            self._restart()

    def _restart(self) -> None:
        loop = asyncio.get_running_loop()
        self._quiet_at = loop.time() + self._wait_s()
        # A timer for each command would cost more than all else that is done for it.
        if self._timer is None or self._timer.when() > self._quiet_at:
            self._cancel()
            self._timer = loop.call_at(self._quiet_at, self._ring)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_s(self) -> float:
        hold, outstanding = self._hold, len(self._waiting)
        if outstanding >= hold.goal:
            return OVERRUN_S
        if outstanding in hold.pauses:
            return hold.linger_s
        patience_s = hold.patience_s if self._stalls < STALLS_WITH_PATIENCE else IMPATIENCE_S
        return min(hold.linger_s, patience_s) if outstanding >= hold.enough else patience_s

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(self._quiet_at, self._ring) if loop.time() < self._quiet_at else None
        if self._timer is None:
            self._quiet()

    def _quiet(self) -> None:
        hold, outstanding = self._hold, len(self._waiting)
        if not outstanding:
            return
        if outstanding < hold.goal and outstanding not in hold.pauses:
            self._stalls += 1
            self._stalled(outstanding)
        one = hold.one_by_one and outstanding >= hold.goal and self._singles < SINGLES
        self._singles += one
        self._release(self._next_up() if one else self._waiting.values())

    def _next_up(self) -> Iterable[HeldCommand]:
        """Return the second oldest of the commands that come first on their connections; the oldest if it is alone."""
        first_of: dict[int, HeldCommand] = {}
        for waiting in self._waiting.values():
            first_of.setdefault(waiting.connection, waiting)
        return [waiting for waiting in first_of.values() if not waiting.released.done()][:2][-1:]

    def _release(self, waiting: Iterable[HeldCommand]) -> None:
        for one in waiting:
            if not one.released.done():
                one.released.set_result(None)
                self._held -= 1
