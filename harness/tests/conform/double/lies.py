"""Runners that are not what they say, one lie each."""

import os
import select
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from respmark.conform.tries import GAVE_UP_S
from respmark.contract.events import Moment, Result, Slice, Work
from respmark.contract.trial import TrialRequest
from tests.conform.double.honest import Command, Honest, Reply
from tests.conform.walkthrough.tinyresp import Connection, ReplyError


class Liar(Honest):
    """What liars have in common: nothing."""

    def before_slice(self) -> None:
        """Do something between `ready` and the slice's order."""

    def after_slice(self) -> None:
        """Do something after the slice is answered."""

    def claim(self, answer: Slice) -> Slice:
        """Change the answer."""
        return answer

    def tell(self, result: Result) -> Result:
        """Change the result."""
        return result


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


class Boastful(Liar):
    """Claims one unit more than it did."""

    def claim(self, answer: Slice) -> Slice:
        """Add a unit everywhere, so that the answer agrees with itself."""
        size = self.unit_size
        first = answer.segments[0]
        segments = [first.model_copy(update={"operations": first.operations + size}), *answer.segments[1:]]
        measured = Work(operations=answer.measured.operations + size, units=answer.measured.units + 1)
        return answer.model_copy(update={"measured": measured, "segments": segments})


class Credulous(Liar):
    """Says that it verified replies and did not look at them."""

    def check(self, index: int, reply: Reply) -> None:
        """Believe everything."""


class Hitter(Liar):
    """Asks only for keys that exist."""

    def command(self, index: int) -> Command:
        """Replace every key that does not exist by one that does."""
        name, *arguments = super().command(index)
        key = int(self.workload.keys[index % self.commands])
        if name == b"GET" and key >= self.workload.header.preload_keys:
            arguments = [self.workload.key(0)]
        return (name, *arguments)

    def check(self, index: int, reply: Reply) -> None:
        """Verify nothing: it would notice itself."""


class Shuffled(Liar):
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


class Oblivious(Liar):
    """Counts a unit that failed as done."""

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Ignore errors."""
        done = 0
        while time.monotonic() < deadline or not done:
            first, begun_ns = self.firsts[lane] + self.taken[lane], time.monotonic_ns()
            self.taken[lane] += self.unit_size
            try:
                self.perform(lane, [self.command(index) for index in range(first, first + self.unit_size)])
            except (ReplyError, OSError) as error:
                self.reconnect(lane, error)
            done += self.unit_size
            self.completed(begun_ns)
        return done


class Stuck(Liar):
    """Waits for ever when its connection is lost."""

    def reconnect(self, lane: int, error: Exception) -> None:
        """Never come back."""
        del lane
        while isinstance(error, OSError):
            time.sleep(1)


class Impatient(Liar):
    """Crashes on the first error."""

    def failed(self, error: Exception) -> None:
        """Give up, whichever thread this is."""
        print(error, file=sys.stderr, flush=True)
        os._exit(1)


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


class Unled(Liar):
    """Counts its lead-in as measured."""

    def claim(self, answer: Slice) -> Slice:
        """Move the work from one to the other."""
        measured = Work(
            operations=answer.lead_in.operations + answer.measured.operations,
            units=answer.lead_in.units + answer.measured.units,
        )
        return answer.model_copy(update={"lead_in": Work(operations=0, units=0), "measured": measured})


class Restless(Liar):
    """Sends a command between two slices."""

    def after_slice(self) -> None:
        """Do it at once, before the next order."""
        self.connections[0].call(*self.command(0))


class Overtime(Liar):
    """Works twice as long as it says, and so claims twice the rate."""

    def walk(self, seconds: float) -> list[int]:
        """Take the time."""
        return super().walk(2 * seconds)

    def claim(self, answer: Slice) -> Slice:
        """Say that it began halfway."""
        begun_ns = (answer.measured_from.at_ns + answer.ended.at_ns) // 2
        begun = answer.measured_from.model_copy(update={"at_ns": begun_ns})
        return answer.model_copy(update={"started": begun, "measured_from": begun})


class Premature(Liar):
    """Stops its clock before the last replies are in."""

    def walk(self, seconds: float) -> list[int]:
        """Take a little more time."""
        return super().walk(seconds + 0.4)

    def claim(self, answer: Slice) -> Slice:
        """Do not count it."""
        return answer.model_copy(update={"ended": later(answer.ended, -400_000_000)})


class Foresighted(Liar):
    """Has a clock of its own, an hour ahead."""

    def claim(self, answer: Slice) -> Slice:
        """Move every moment."""
        moments = ("started", "measured_from", "ended")
        return answer.model_copy(update={name: later(getattr(answer, name), 3600 * 10**9) for name in moments})


class Thrifty(Liar):
    """Says that it used no CPU."""

    def walk(self, seconds: float) -> list[int]:
        """Use 50 ms of it."""
        until_ns = time.process_time_ns() + 50_000_000
        while time.process_time_ns() < until_ns:
            pass
        return super().walk(seconds)

    def claim(self, answer: Slice) -> Slice:
        """End with as much as it began with."""
        idle = {"cpu_user_ns": answer.started.cpu_user_ns, "cpu_system_ns": answer.started.cpu_system_ns}
        ends = {name: getattr(answer, name).model_copy(update=idle) for name in ("measured_from", "ended")}
        return answer.model_copy(update=ends)


class Swift(Liar):
    """Tells microseconds for nanoseconds."""

    def tell(self, result: Result) -> Result:
        """Divide by a thousand."""
        histogram = [(value_ns // 1000, count) for value_ns, count in result.latency.histogram]
        return result.model_copy(update={"latency": result.latency.model_copy(update={"histogram": histogram})})


class Lazy(Liar):
    """Verifies half of what it was asked for."""

    def verify(self) -> int:
        """Ask for less."""
        self.trial = self.trial.model_copy(update={"verify_commands": self.trial.verify_commands // 2})
        return super().verify()


class Empty(Liar):
    """Sets nothing but the first byte of each value."""

    def value(self, key: int, size: int) -> bytes:
        """Cut it, in slices."""
        return super().value(key, size)[: 1 if self.begin else size]


class Nameless(Liar):
    """Does not say what it loaded."""

    def tell(self, result: Result) -> Result:
        """Name something else."""
        return result.model_copy(update={"versions": {"something": "1"}})


def later(moment: Moment, by_ns: int) -> Moment:
    """Return the moment at another time."""
    return moment.model_copy(update={"at_ns": moment.at_ns + by_ns})


class Slow(Liar):
    """As slow as on a machine that has no time for it: no more than a unit a slice."""

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Perform one unit, and get no time for another."""
        done = super().closed_loop(lane, time.monotonic())
        waited_s = max(0.0, deadline - time.monotonic())
        time.sleep(waited_s)
        self.sampled_ns += round(waited_s * 1e9)
        return done


class SlowOnce(Slow):
    """Slow in the first trial with its workload, and not in those after."""

    def __init__(self, trial: TrialRequest) -> None:
        super().__init__(trial)
        note = Path(trial.workload.path).with_suffix(".slow-once")
        self.slow = not note.exists()
        note.touch()

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Be slow or as others are."""
        return super().closed_loop(lane, deadline) if self.slow else Honest.closed_loop(self, lane, deadline)


class Hurried(Liar):
    """Has a timeout, as libraries have: counts an error where a reply takes longer, and goes on."""

    def connect(self) -> Connection:
        """Wait no longer than this for a reply."""
        connection = super().connect()
        assert connection._socket is not None
        connection._socket.settimeout(GAVE_UP_S + 0.1)
        return connection

    def reconnect(self, lane: int, error: Exception) -> None:
        """Drop the connection on which the reply is still to come."""
        self.connections[lane].close()
        super().reconnect(lane, error)


class Skittish(Liar):
    """Counts an error that neither came nor follows from any wait."""

    def claim(self, answer: Slice) -> Slice:
        """Add it."""
        return answer.model_copy(update={"errors": {"TimeoutError": 1}, "first_error": "timed out"})


LIES: Final[dict[str, type[Liar]]] = {
    "none": Liar,
    "overtime": Overtime,
    "premature": Premature,
    "foresighted": Foresighted,
    "thrifty": Thrifty,
    "swift": Swift,
    "lazy": Lazy,
    "empty": Empty,
    "nameless": Nameless,
    "halves": Halves,
    "deeper": Deeper,
    "unhurried": Unhurried,
    "big-pool": BigPool,
    "small-pool": SmallPool,
    "hoarder": Hoarder,
    "alone": Alone,
    "reused": Reused,
    "boastful": Boastful,
    "credulous": Credulous,
    "hitter": Hitter,
    "shuffled": Shuffled,
    "overtaking": Overtaking,
    "late": Late,
    "hasty": Hasty,
    "early": Early,
    "silent": Silent,
    "talkative": Talkative,
    "unprotected": Unprotected,
    "piecemeal": Piecemeal,
    "oblivious": Oblivious,
    "stuck": Stuck,
    "impatient": Impatient,
    "warmed": Warmed,
    "eager": Eager,
    "elsewhere": Elsewhere,
    "displaced": Displaced,
    "onward": Onward,
    "unled": Unled,
    "restless": Restless,
    "slow": Slow,
    "slow-once": SlowOnce,
    "hurried": Hurried,
    "skittish": Skittish,
}
