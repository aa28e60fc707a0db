"""Holds replies back inside the window until the client has sent everything that it sends without reading one.

TCP has no flushes: one write can arrive in several reads, and a server answers the first command of a batch while the
last is still under way. The proxy therefore lets the client wait: replies go out only when no more commands can come
without them. What the client has sent by then is exactly what it sends without a reply, whatever the load on the
machine. A client cannot tell this from a slow network.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from respmark.wire.recorder import Command

STALLS_WITH_PATIENCE: Final = 3
"""After this many stalls, it is clear that the client does not send what it should: more waiting shows nothing new."""


@dataclass(frozen=True)
class Hold:
    """When replies go out."""

    goal: int
    """Number of a process's unanswered commands at which no more are due."""
    enough: int
    """From this number on, the client may have a reason to send no more: `linger_s` instead of `patience_s`."""
    names: frozenset[str]
    """Commands whose replies are held back; handshakes never are."""
    pauses: frozenset[int] = frozenset()
    """Other numbers of unanswered commands at which the client may wait for replies: `linger_s`, and no stall."""
    one_by_one: bool = False
    """At the goal, release a single reply: a sliding window sends one command in response, a burst does not.

    Over several connections, it is not the reply to the oldest command: a client that waits for that one sends nothing
    in response to any other.
    """
    overrun_s: float = 0.002
    """At the goal, this long without another command: the client sends no more than it should."""
    linger_s: float = 0.1
    patience_s: float = 1.0
    """Below `enough`, this long without another command: the client waits for its replies."""
    impatience_s: float = 0.02
    """Replaces `patience_s` after STALLS_WITH_PATIENCE stalls."""


class Gate:
    """Holds back the replies of one runner process."""

    def __init__(self, hold: Hold, let_out: Callable[[], None], stalled: Callable[[int], None]) -> None:
        self._hold = hold
        self._let_out = let_out
        self._stalled = stalled
        self._waiting: dict[int, Command] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._stalls = 0
        self._closed = False

    def close(self) -> None:
        """Begin to hold replies back: the window has begun."""
        self._closed = True

    def open(self) -> None:
        """Release everything, and hold nothing back any more."""
        self._closed = False
        self._cancel()
        self._release(self._waiting.values())

    def arrived(self, command: Command) -> None:
        """Note a command; if its reply must be held back, mark it."""
        if self._closed and command.request.name in self._hold.names:
            command.released = False
            self._waiting[command.order] = command
            self._restart()

    def answered(self, command: Command) -> None:
        """Forget a command: its reply has gone out, or its connection is gone."""
        if self._waiting.pop(command.order, None) is not None and self._timer is None and self._held():
            self._restart()

    def _held(self) -> bool:
        return any(not command.released for command in self._waiting.values())

    def _restart(self) -> None:
        self._cancel()
        self._timer = asyncio.get_running_loop().call_later(self._wait_s(), self._quiet)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_s(self) -> float:
        hold, outstanding = self._hold, len(self._waiting)
        if outstanding >= hold.goal:
            return hold.overrun_s
        if outstanding in hold.pauses:
            return hold.linger_s
        patience_s = hold.patience_s if self._stalls < STALLS_WITH_PATIENCE else hold.impatience_s
        return min(hold.linger_s, patience_s) if outstanding >= hold.enough else patience_s

    def _quiet(self) -> None:
        """React to silence: note a stall if more commands were due, and release replies."""
        self._timer = None
        outstanding = len(self._waiting)
        if not outstanding:
            return
        if outstanding < self._hold.goal and outstanding not in self._hold.pauses:
            self._stalls += 1
            self._stalled(outstanding)
        one = self._hold.one_by_one and outstanding >= self._hold.goal
        self._release(self._next_up() if one else self._waiting.values())

    def _next_up(self) -> Iterable[Command]:
        """Return the second oldest of the commands that come first on their connections; the oldest if it is alone."""
        first_of: dict[int, Command] = {}
        for command in self._waiting.values():
            first_of.setdefault(command.connection, command)
        held = [command for command in first_of.values() if not command.released]
        return held[:2][-1:]

    def _release(self, commands: Iterable[Command]) -> None:
        for command in commands:
            command.released = True
        self._let_out()
