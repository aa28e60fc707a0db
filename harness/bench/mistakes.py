"""By how much the mistakes of published benchmarks move a figure: from a run's files, by arithmetic, one by timing.

    .build/harness/bin/python harness/bench/mistakes.py [results/published/quick]

docs/benchmark-mistakes.md describes the mistakes, and what respmark does about them.
"""

import math
import random
import sys
import timeit
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell, read_figures
from respmark.figures.ranking import cells_of
from respmark.kinds.loops.kind import LOOPS
from respmark.paths import CHECKOUT
from respmark.specs.catalogue import Catalogue

COMMANDS: Final = 30_000
"""A popular length for benchmarks."""
DRAWS: Final = 200_000


def main(words: Sequence[str]) -> None:
    """Print one paragraph per mistake."""
    run = read_figures(Path(words[0]) if words else CHECKOUT / "results" / "published" / "quick", LOOPS)
    cells = {(cell.client, cell.block): cell for cell in cells_of(run)}
    for line in (*misses(), *accelerator(cells), *inside(cells), *lengths(cells), *warm_up(), *stall(), *little()):
        print(line)


def misses() -> Iterator[str]:
    """GETs of missing keys are answered with nothing."""
    sizes = Catalogue().workload("quick").sizes
    by_hits = {share: share * sizes.mean_bytes for share in (0.8, 0.008)}
    yield (
        f"sparse: a GET returns {by_hits[0.8]:.0f} bytes of value on average where 80 % hit, "
        f"{by_hits[0.008]:.1f} where a hundredth of that do: "
        f"{1 - by_hits[0.008] / by_hits[0.8]:.0%} of it never travels"
    )


def accelerator(cells: dict[tuple[str, str], Cell]) -> Iterator[str]:
    """A variant that is really another one has the other's figure."""
    cell = cells["redis-py[parser=python]", "batching--depth=100"]
    if cell.comparison is not None:
        ratio = cell.comparison.ratio("rps")
        yield (
            f"mislabelled: without hiredis, batches of 100 run at {ratio.value:.2f} "
            f"({ratio.low or 0:.2f}..{ratio.high or 0:.2f}) of the pace with it; "
            "whoever loads it all the same says 1.00"
        )


def inside(cells: dict[tuple[str, str], Cell]) -> Iterator[str]:
    """Random numbers and values that are made while the clock runs appear in the table as the client's cost."""
    text = "x" * 4096

    def drawn() -> tuple[str, str]:
        return f"key:{random.randrange(3_750_000):010d}", text[: int(random.gauss(1024, 262.7))]  # noqa: S311 - no secret

    ready = drawn()
    each_us = (timeit.timeit(drawn, number=DRAWS) - timeit.timeit(lambda: ready, number=DRAWS)) / DRAWS * 1e6
    yield f"dicing: a key and a value that Python draws and formats take {each_us:.1f} us a command, here and now"
    for block in ("sync", "batching--depth=100"):
        measured = cells["redis-py", block].measured
        if measured is not None and (cost_us := measured.client_cpu_us_per_command):
            yield f"  redis-py, {block}: {cost_us:.1f} us of CPU a command; the draw adds {each_us / cost_us:.0%}"


def lengths(cells: dict[tuple[str, str], Cell]) -> Iterator[str]:
    """A fixed number of commands may end before a client is warm."""
    yield f"brief: {COMMANDS:,} commands last, beside the time that a client worked until it was steady:"
    for (client, block), cell in cells.items():
        if cell.measured is None or cell.scenario not in {Scenario.SYNC, Scenario.BATCHING}:
            continue
        yield f"  {client}, {block}: {COMMANDS / cell.measured.rps_median:.2f} s, {cell.measured.warmup_s or 0:.1f} s"


def warm_up() -> Iterator[str]:
    """A window that begins cold shows a lower rate, by what was lost in it."""
    for window_s in (1, 10, 60):
        yield f"unled: {window_s} s, of which 0.5 s at half the pace: {shown_rate(window_s, 0.5, 0.5):.3f} of the rate"


def shown_rate(window_s: float, slow_s: float, pace: float) -> float:
    """Return the rate that a window shows, as a fraction of the true one, if part of it runs at a lower pace."""
    return (window_s - slow_s + slow_s * pace) / window_s


def stall() -> Iterator[str]:
    """A closed loop sends nothing while it waits, so a stall is one sample among thousands."""
    closed, planned = stalled(rate=5_000, service_ms=0.1, stall_ms=100)
    yield (
        "coordinated omission: 5,000 commands a second, one stall of 100 ms: 99 % of samples are within "
        f"{percentile(closed, 99):.1f} ms in a closed loop, "
        f"within {percentile(planned, 99):.0f} ms of when they were due"
    )


def stalled(rate: int, service_ms: float, stall_ms: float) -> tuple[list[float], list[float]]:
    """Return a second's latencies in ms, with a stall in its middle: of a closed loop, and from when each was due."""
    closed = [stall_ms] + [service_ms] * round((1000 - stall_ms) / service_ms)
    begun_ms, planned = 0.0, []
    for number in range(rate):
        due_ms = number * 1000 / rate
        begun_ms = max(begun_ms, due_ms)
        begun_ms += stall_ms if number == rate // 2 else service_ms
        planned.append(begun_ms - due_ms)
    return closed, planned


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that is not exceeded by this percentage of the values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def little() -> Iterator[str]:
    """The number of commands in flight is the rate times the latency, in the same unit of time."""
    yield (
        "swift: 50 connections at 66,000 commands a second: "
        f"{in_flight(66_000, 0.000_757):.0f} are in flight if each takes 757 us, "
        f"{in_flight(66_000, 0.757):,.0f} would be if each took 757 ms"
    )


def in_flight(rate: float, latency_s: float) -> float:
    """Return how many commands are in flight (Little's law)."""
    return rate * latency_s


if __name__ == "__main__":
    main(sys.argv[1:])
