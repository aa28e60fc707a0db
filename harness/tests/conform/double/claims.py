"""Liars whose claims are not what they did: counted, timed or verified otherwise."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Final

from respmark.contract.events import LocalCache, Moment, Result, Slice, Work
from tests.conform.double.honest import Command, Reply
from tests.conform.double.liar import Liar, SubtleLiar
from tests.conform.double.tinyresp import ReplyError


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


class Hitter(SubtleLiar):
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


class Unled(Liar):
    """Counts its lead-in as measured."""

    def claim(self, answer: Slice) -> Slice:
        """Move the work from one to the other."""
        measured = Work(
            operations=answer.lead_in.operations + answer.measured.operations,
            units=answer.lead_in.units + answer.measured.units,
        )
        return answer.model_copy(update={"lead_in": Work(operations=0, units=0), "measured": measured})


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


class Successive(Liar):
    """Has processes that work one after the other."""

    def walk(self, seconds: float) -> list[int]:
        """Wait until those before have ended, on a busy machine, too."""
        self.waited_s = (seconds + 1) * self.trial.workload.part
        time.sleep(self.waited_s)
        return super().walk(seconds)

    def claim(self, answer: Slice) -> Slice:
        """Begin when the others have ended."""
        begun = later(answer.started, round(self.waited_s * 1e9))
        return answer.model_copy(update={"started": begun, "measured_from": begun})

    waited_s = 0.0


class Foresighted(Liar):
    """Has a clock of its own, an hour ahead."""

    def claim(self, answer: Slice) -> Slice:
        """Move every moment."""
        moments = ("started", "measured_from", "ended")
        return answer.model_copy(update={name: later(getattr(answer, name), 3600 * 10**9) for name in moments})


def later(moment: Moment, by_ns: int) -> Moment:
    """Return the moment at another time."""
    return moment.model_copy(update={"at_ns": moment.at_ns + by_ns})


class Thrifty(Liar):
    """Says that it used no CPU."""

    def walk(self, seconds: float) -> list[int]:
        """Use more than could be used between order and answer, but outside the slice, on a busy machine."""
        until_ns = time.process_time_ns() + 300_000_000
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


class Modest(Liar):
    """Leaves its slowest replies out of the longest latency."""

    def tell(self, result: Result) -> Result:
        """Say a nanosecond."""
        return result.model_copy(update={"latency": result.latency.model_copy(update={"max_ns": 1})})


class Rewound(Liar):
    """Charges the lead-in with CPU that it had not used by then."""

    def claim(self, answer: Slice) -> Slice:
        """Begin to measure with more than it ends with."""
        more = {"cpu_user_ns": answer.ended.cpu_user_ns + 1_000_000, "cpu_system_ns": answer.ended.cpu_system_ns}
        return answer.model_copy(update={"measured_from": answer.measured_from.model_copy(update=more)})


class Lazy(Liar):
    """Verifies half of what it was asked for."""

    def verify(self) -> int:
        """Ask for less."""
        self.trial = self.trial.model_copy(update={"verify_commands": self.trial.verify_commands // 2})
        return super().verify()


class Empty(SubtleLiar):
    """Sets nothing but the first byte of each value."""

    def value(self, key: int, size: int) -> bytes:
        """Cut it, in slices."""
        return super().value(key, size)[: 1 if self.begin else size]


class Nameless(Liar):
    """Does not say what it loaded."""

    def tell(self, result: Result) -> Result:
        """Name something else."""
        return result.model_copy(update={"versions": {"something": "1"}})


class Inherited(Liar):
    """Claims the memory of the process that started it, as getrusage tells it to a child."""

    def tell(self, result: Result) -> Result:
        """Add it."""
        return result.model_copy(update={"peak_memory_bytes": result.peak_memory_bytes + 100 * 2**20})


class Flattering(SubtleLiar):
    """Sends every GET, and says that its cache answered half of them."""

    def local_cache(self) -> LocalCache | None:
        """Count some misses as hits."""
        hits = self.misses // 2
        return LocalCache(hits=hits, misses=self.misses - hits, invalidations=0)


class Imaginary(SubtleLiar):
    """Has no cache, and does not send half of the GETs."""

    is_lying = False
    hits = asked = 0

    def before_slice(self) -> None:
        """Behave until now."""
        self.is_lying = True

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Leave every other GET out."""
        self.asked += self.is_lying and commands[0][0] == b"GET"
        if not self.is_lying or commands[0][0] != b"GET" or self.asked % 2:
            return super().batch(lane, commands)
        self.hits += 1
        return [None]

    def local_cache(self) -> LocalCache | None:
        """Call hits what was left out."""
        return LocalCache(hits=self.hits, misses=self.misses, invalidations=0)


class Deaf(Liar):
    """Does not ask the server to say what changes."""

    def track(self) -> None:
        """Ask for nothing."""


CLAIMS: Final[dict[str, type[Liar]]] = {
    "boastful": Boastful,
    "credulous": Credulous,
    "hitter": Hitter,
    "oblivious": Oblivious,
    "stuck": Stuck,
    "impatient": Impatient,
    "unled": Unled,
    "overtime": Overtime,
    "premature": Premature,
    "successive": Successive,
    "foresighted": Foresighted,
    "thrifty": Thrifty,
    "swift": Swift,
    "modest": Modest,
    "rewound": Rewound,
    "lazy": Lazy,
    "empty": Empty,
    "nameless": Nameless,
    "inherited": Inherited,
    "flattering": Flattering,
    "imaginary": Imaginary,
    "deaf": Deaf,
}
