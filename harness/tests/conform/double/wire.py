"""Liars whose commands are not those of the scenario: seen on the wire."""

import select
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final

from respmark.contract.trial import TrialRequest
from tests.conform.double.honest import Command, Honest, Reply
from tests.conform.double.liar import Liar, SubtleLiar


class Halves(Liar):
    """Sends half of a burst or batch, reads the replies, sends the other half."""

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Do it in two."""
        middle = len(commands) // 2
        return [*super().batch(lane, commands[:middle]), *super().batch(lane, commands[middle:])]


class Deeper(Liar):
    """Keeps one command more in flight than it says."""

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Send one more than the unit has."""
        ahead = self.command(self.firsts[lane])
        self.connections[lane].send([*commands, ahead])
        return self.connections[lane].read(len(commands) + 1)[:-1]


class Unhurried(Liar):
    """Says `sliding` and does bursts."""

    def slide(self, lane: int, deadline: float) -> int:
        """Complete all before the next is sent."""
        done = 0
        while True:
            first, begun_ns = self.firsts[lane] + self.taken[lane], time.monotonic_ns()
            self.batch(lane, [self.command(first + offset) for offset in range(self.depth)])
            self.taken[lane] += self.depth
            done += self.depth
            for _ in range(self.depth):
                self.completed(begun_ns)
            if time.monotonic() >= deadline:
                return done


class BigPool(Liar):
    """Gives every thread a connection, whatever max_total says."""

    def pool_size(self) -> int:
        """Return more than allowed."""
        return self.lanes


class SmallPool(Liar):
    """Has a pool of one."""

    def pool_size(self) -> int:
        """Return less than asked for."""
        return 1


class Hoarder(Liar):
    """Keeps every connection, whatever max_idle says."""

    def most_idle(self) -> int:
        """Return more than allowed."""
        return self.pool_size()


class Alone(Liar):
    """Runs its threads one after the other."""

    def perform(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Wait for each other."""
        with self.turn:
            return super().perform(lane, commands)

    def open(self) -> None:
        """Make the lock that they wait for."""
        self.turn = threading.Lock()
        super().open()


class Reused(Liar):
    """Says `new-connection` and keeps its connection."""

    def once(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Use the same again."""
        if lane not in self.connections:
            self.connections[lane] = self.connect()
        return self.batch(lane, commands)


class Shuffled(SubtleLiar):
    """Sends the right commands, two of them the other way round."""

    def command(self, index: int) -> Command:
        """Swap two GETs of keys that exist, which no counter of the server can tell."""
        swapped = {self._pair[0]: self._pair[1], self._pair[1]: self._pair[0]}
        return super().command(swapped.get(index % self.commands, index))

    @property
    def _pair(self) -> tuple[int, int]:
        first = self.firsts[0]
        alike = [
            index % self.commands
            for index in range(first, first + 20)
            if Honest.command(self, index)[0] == b"GET"
            and int(self.workload.keys[index % self.commands]) < self.workload.header.preload_keys
        ]
        return alike[0], alike[1]

    def check(self, index: int, reply: Reply) -> None:
        """Verify nothing: it would notice itself."""


class Overtaking(Liar):
    """Has threads: the third command of every slice goes out after the fourth."""

    def command(self, index: int) -> Command:
        """Swap the two, in slices."""
        return super().command(index + {2: 1, 3: -1}.get(index - self.begin, 0) if self.begin else index)


class Late(Liar):
    """Goes on sending when the slice is answered."""

    def after_slice(self) -> None:
        """Send one more, when everybody has stopped counting."""
        time.sleep(0.2)
        self.connections[0].call(*self.command(0))


class Hasty(Liar):
    """Closes before standard input ends."""

    def after_slice(self) -> None:
        """Leave at once."""
        self.close()


class Early(Liar):
    """Begins before it is told to."""

    def before_slice(self) -> None:
        """Send until the order comes."""
        while not select.select([sys.stdin], [], [], 0)[0]:
            self.connections[0].call(*self.command(0))


class Silent(Liar):
    """Sends more than it counts."""

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Send the first command twice."""
        replies = super().batch(lane, commands)
        super().batch(lane, commands[:1])
        return replies


class Talkative(Liar):
    """Sends a PING before every unit."""

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Ask whether anyone is there."""
        self.connections[lane].call(b"PING")
        return super().batch(lane, commands)


class Unprotected(Liar):
    """Says `transaction` and sends every command outside of one."""

    def transaction(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Send an empty block, then the commands."""
        self.batch(lane, [(b"MULTI",), (b"EXEC",)])
        return self.batch(lane, commands)


class Piecemeal(Liar):
    """Says `batched` and sends the transaction command by command."""

    def transaction(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """One round trip each."""
        replies = [self.connections[lane].call(*command) for command in [(b"MULTI",), *commands, (b"EXEC",)]]
        return replies[-1] if isinstance(replies[-1], list) else []


class Warmed(Liar):
    """Sends more before its slice than it says."""

    def open(self) -> None:
        """Send a command that nobody counts."""
        super().open()
        connection = self.connect()
        connection.call(*self.command(0))
        connection.close()


class Eager(Liar):
    """Connects while it is loading."""

    def __init__(self, trial: TrialRequest) -> None:
        super().__init__(trial)
        self.connections[0] = self.connect()
        self.connections[0].call(b"SELECT", b"0")

    def open(self) -> None:
        """Nothing is left to be opened."""


class Elsewhere(Liar):
    """Says that it begins where it was told to, and begins a little further on."""

    def command(self, index: int) -> Command:
        """Send another command, in slices."""
        return super().command(index + 7 if self.begin else index)


class Displaced(Liar):
    """Begins elsewhere, and says so."""

    def go_to(self, first_command: int) -> None:
        """Go a little further."""
        super().go_to((first_command + 7) % self.commands)


class Onward(Liar):
    """Goes on where the slice before stopped, whatever the order says, and does not tell."""

    def go_to(self, first_command: int) -> None:
        """Go there the first time only."""
        stopped = [self.begin + taken for taken in self.taken]
        super().go_to(first_command)
        self.shift = stopped[0] - first_command if any(stopped) else 0

    def command(self, index: int) -> Command:
        """Send what comes after the slice before."""
        return super().command(index + self.shift)

    shift = 0


class Restless(Liar):
    """Sends a command between two slices."""

    def after_slice(self) -> None:
        """Do it at once, before the next order."""
        self.connections[0].call(*self.command(0))


class Unnegotiated(Liar):
    """Speaks RESP2, whatever its label says: it never asks for another."""

    def speaks_resp3(self) -> bool:
        """Say no HELLO."""
        return False


class Modern(Liar):
    """Speaks RESP3, whatever its label says."""

    def speaks_resp3(self) -> bool:
        """Say HELLO 3."""
        return True


WIRE: Final[dict[str, type[Liar]]] = {
    "halves": Halves,
    "deeper": Deeper,
    "unhurried": Unhurried,
    "big-pool": BigPool,
    "small-pool": SmallPool,
    "hoarder": Hoarder,
    "alone": Alone,
    "reused": Reused,
    "shuffled": Shuffled,
    "overtaking": Overtaking,
    "late": Late,
    "hasty": Hasty,
    "early": Early,
    "silent": Silent,
    "talkative": Talkative,
    "unprotected": Unprotected,
    "piecemeal": Piecemeal,
    "warmed": Warmed,
    "eager": Eager,
    "elsewhere": Elsewhere,
    "displaced": Displaced,
    "onward": Onward,
    "restless": Restless,
    "unnegotiated": Unnegotiated,
    "modern": Modern,
}
