"""redis-py as its README uses it: `redis_py.py HOST PORT sync|batching KEY_PREFIX`.

The first line of input is the password, perhaps empty; each of the others is a turn, in seconds.
"""

import random
import sys
import time
from itertools import cycle

import redis

BATCH = 100
GETS = 0.8


def made(prefix: str) -> list[list[tuple[str, bytes | None]]]:
    """Return 1,000 groups of commands: four in five are GETs, which have no value."""
    draw = random.Random(1)  # noqa: S311 - no secrets
    values = [draw.randbytes(min(max(round(draw.gauss(1024, 262.7)), 4), 2048)) for _ in range(500)]

    def command() -> tuple[str, bytes | None]:
        if draw.random() < GETS:
            return f"{prefix}{draw.randrange(37_500):07}", None
        return f"{prefix}{draw.randrange(30_000):07}", draw.choice(values)

    return [[command() for _ in range(BATCH)] for _ in range(1_000)]


def sync(client: redis.Redis, group: list[tuple[str, bytes | None]]) -> None:
    """Send one command after another."""
    for key, value in group:
        if value is None:
            client.get(key)
        else:
            client.set(key, value)


def batching(client: redis.Redis, group: list[tuple[str, bytes | None]]) -> None:
    """Send them all in one batch."""
    pipe = client.pipeline(transaction=False)
    for key, value in group:
        if value is None:
            pipe.get(key)
        else:
            pipe.set(key, value)
    pipe.execute()


def main() -> None:
    """Work for each turn; print its operations and nanoseconds."""
    host, port, scenario, prefix = sys.argv[1:]
    client = redis.Redis(host=host, port=int(port), password=sys.stdin.readline().strip() or None)
    perform = batching if scenario == "batching" else sync
    groups = cycle(made(prefix))
    client.ping()
    print("ready", flush=True)
    for line in sys.stdin:
        operations, started = 0, time.monotonic_ns()
        ends = started + float(line) * 1e9
        while (now := time.monotonic_ns()) < ends:
            perform(client, next(groups))
            operations += BATCH
        print(operations, now - started, flush=True)


main()
