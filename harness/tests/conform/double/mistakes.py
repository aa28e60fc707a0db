"""Liars who make the mistakes of published benchmarks (docs/benchmark-mistakes.md), in good faith."""

import random
import time
from collections.abc import Sequence
from typing import Final

from respmark.contract.events import Result
from tests.conform.double.honest import Command, Reply
from tests.conform.double.liar import Liar, SubtleLiar


class Sparse(SubtleLiar):
    """Asks for keys from a space a hundred times as large as the one that was written."""

    def command(self, index: int) -> Command:
        """Replace 99 of 100 keys of GET by one of the same length that nobody wrote."""
        name, *arguments = super().command(index)
        if name == b"GET" and index % 100:
            arguments = [arguments[0][:-1] + b"x"]
        return (name, *arguments)

    def check(self, index: int, reply: Reply) -> None:
        """Verify nothing: whoever did would have noticed."""


class Atomic(Liar):
    """Says `batching` and sends transactions, as a library's pipeline may do unless it is told not to."""

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Wrap it."""
        replies = super().batch(lane, [(b"MULTI",), *commands, (b"EXEC",)])
        return list(replies[-1])


class Dicing(Liar):
    """Draws its commands while the clock runs, its threads from one generator that they share."""

    shared: Final = random.Random(7)  # noqa: S311 - no secret

    def command(self, index: int) -> Command:
        """Send any command of the workload, in slices."""
        return super().command(self.shared.randrange(self.commands) if self.begin else index)


class Brief(Liar):
    """Sends a fixed number of commands, however soon they are done."""

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Stop after three units."""
        del deadline
        done = 0
        for _ in range(3):
            done += super().closed_loop(lane, time.monotonic())
        return done


class Forgetful(SubtleLiar):
    """Leaves the slowest tenth of its samples out, as outliers."""

    def tell(self, result: Result) -> Result:
        """Keep the others."""
        histogram = [(value_ns, count - max(1, count // 10)) for value_ns, count in result.latency.histogram]
        return result.model_copy(update={"latency": result.latency.model_copy(update={"histogram": histogram})})


class Mislabelled(Liar):
    """Is measured as the library without its accelerator, which it loads all the same."""

    def tell(self, result: Result) -> Result:
        """Name what was loaded."""
        return result.model_copy(update={"versions": {**result.versions, "accelerator": "3"}})


MISTAKES: Final[dict[str, type[Liar]]] = {
    "sparse": Sparse,
    "atomic": Atomic,
    "dicing": Dicing,
    "brief": Brief,
    "forgetful": Forgetful,
    "mislabelled": Mislabelled,
}
