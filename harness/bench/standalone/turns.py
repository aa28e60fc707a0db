"""What the programs in Python have in common: commands, and turns.

The first line of input is the password, perhaps empty; each of the others is a turn, in seconds.
"""

import random
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import cycle

BATCH = 100
GETS = 0.8
Group = list[tuple[str, bytes | None]]


def made(prefix: str) -> list[Group]:
    """Return 1,000 groups of commands: four in five are GETs, which have no value."""
    draw = random.Random(1)  # noqa: S311 - no secrets
    values = [draw.randbytes(min(max(round(draw.gauss(1024, 262.7)), 4), 2048)) for _ in range(500)]

    def command() -> tuple[str, bytes | None]:
        if draw.random() < GETS:
            return f"{prefix}{draw.randrange(37_500):07}", None
        return f"{prefix}{draw.randrange(30_000):07}", draw.choice(values)

    return [[command() for _ in range(BATCH)] for _ in range(1_000)]


def password() -> str | None:
    """Read the password."""
    return sys.stdin.readline().strip() or None


def take_turns(prefix: str, perform: Callable[[Group], None]) -> None:
    """Work for each turn; print its operations and nanoseconds."""
    groups = cycle(made(prefix))
    print("ready", flush=True)
    for line in sys.stdin:
        operations, started = 0, time.monotonic_ns()
        ends = started + float(line) * 1e9
        while (now := time.monotonic_ns()) < ends:
            perform(next(groups))
            operations += BATCH
        print(operations, now - started, flush=True)


async def take_turns_async(prefix: str, perform: Callable[[Group], Awaitable[None]]) -> None:
    """Do the same with an asynchronous API."""
    groups = cycle(made(prefix))
    print("ready", flush=True)
    for line in sys.stdin:
        operations, started = 0, time.monotonic_ns()
        ends = started + float(line) * 1e9
        while (now := time.monotonic_ns()) < ends:
            await perform(next(groups))
            operations += BATCH
        print(operations, now - started, flush=True)
