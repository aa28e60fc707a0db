"""The open loops: units start when they are due, however long the ones before them took.

Who walks alone waits alone. Several leave the waiting to a pacer, which wakes each when its unit is due: threads that
read the clock again and again would keep the interpreter from the one that works.
"""

import asyncio
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock
from time import monotonic_ns, sleep
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from samples import Samples
from workload import Command

SLEEP_IS_LATE_NS: Final = 60_000
"""Linux wakes a sleeper 50 us late on purpose, and some us later still."""
SLEEP_MAY_BE_LATE_NS: Final = 200_000
"""A virtual CPU now and then."""
LOOP_IS_LATE_NS: Final = 1_500_000
"""asyncio rounds what it waits for up to whole milliseconds, and is then as late as any sleeper."""


class Part(NamedTuple):
    """The lead-in or the measured part of a slice."""

    at: int
    end_ns: int
    close_ns: int
    """A unit that has not started by then never does."""
    dues: "array[float]"
    """When each of this process's units is due, in ns since `at`."""
    turns: list[Iterator[int]]
    """Each walker's units: places in `dues`. All places of a sliding window take from the same."""
    waiting: dict[int, Any] | None
    """What wakes those who wait for the pacer, by unit; None where there is no pacer."""


def read_arrivals(order: dict[str, Any], trial: SimpleNamespace, walkers: int, *, is_paced: bool) -> tuple[Part, Part]:
    """Return the lead-in and the measured part of this process's units."""
    given, lead_in_ns = order["arrivals"], order["lead_in_ns"]
    every, at, drain_ns = array("d", Path(given["file"]).read_bytes()), given["at"], given["drain_ns"]
    of_walkers = [every[trial.part * walkers + i :: trial.parts * walkers] for i in range(walkers)]
    own = array("d", bytes(8 * sum(map(len, of_walkers))))
    for i, dues in enumerate(of_walkers):
        own[i::walkers] = dues
    begin, end = bisect_left(own, lead_in_ns), len(own)

    def made(begin: int, end: int, end_ns: int) -> Part:
        turns = [iter(range((i - begin) % walkers, end - begin, walkers)) for i in range(walkers)]
        return Part(at, at + end_ns, at + end_ns + drain_ns, own[begin:end], turns, {} if is_paced else None)

    return made(0, begin, lead_in_ns), made(begin, end, lead_in_ns + order["ns"])


def wait_until(at: int, due: float) -> None:
    """Return `due` ns after `at`, or at once if that is over."""
    while (left_ns := at - monotonic_ns() + due) > 0:
        if left_ns > SLEEP_MAY_BE_LATE_NS:
            sleep((left_ns - SLEEP_MAY_BE_LATE_NS) / 1e9)


async def wait_in_loop(at: int, due: float) -> None:
    """Do the same, while other tasks go on."""
    while (left_ns := at - monotonic_ns() + due) > 0:  # noqa: ASYNC110 - what is waited for is the clock
        await asyncio.sleep(max(left_ns - LOOP_IS_LATE_NS, 0) / 1e9)


def pace(parts: Iterable[Part]) -> None:
    """Wake each thread that waits when its unit is due.

    It sleeps to the last: when it read the clock again and again, giving the interpreter away each time, commands of
    four threads took twice as long.
    """
    for at, _, _, dues, _, waiting in parts:
        reached = 0
        while reached < len(dues):
            sleep(max(at - monotonic_ns() + dues[reached] - SLEEP_IS_LATE_NS, 0) / 1e9)
            now_due = bisect_right(dues, monotonic_ns() - at, reached)
            for unit in range(reached, now_due):
                if waiting and (gate := waiting.pop(unit, None)):
                    gate.release()
            reached = now_due


async def pace_tasks(parts: Iterable[Part]) -> None:
    """Wake each task that waits when its unit is due."""
    for at, _, _, dues, _, waiting in parts:
        reached = 0
        while reached < len(dues):
            # Even if it is late, others have their turn.
            await asyncio.sleep(max(at - monotonic_ns() + dues[reached] - LOOP_IS_LATE_NS, 0) / 1e9)
            now_due = bisect_right(dues, monotonic_ns() - at, reached)
            for unit in range(reached, now_due):
                if waiting and (future := waiting.pop(unit, None)):
                    future.set_result(None)
            reached = now_due


def wait_for_pacer(at: int, due: float, unit: int, waiting: dict[int, Any], gate: Any) -> None:
    """Wait in a thread, at a gate of its own that is closed before and after, until the pacer says that it is due."""
    waiting[unit] = gate
    # The pacer may have gone by just before; if it has taken the gate, it opens it.
    if monotonic_ns() - at < due or waiting.pop(unit, None) is None:
        gate.acquire()


def run_arrivals(client: Any, units: Iterator[Command], samples: Samples, part: Part, walker: int) -> None:
    """Perform a walker's units, each when it is due, until the part is closed."""
    clock, take = monotonic_ns, units.__next__
    at, _, close_ns, dues, turns, waiting = part
    latencies, stored, lags, index = samples.storage, samples.dues, samples.lags, samples.index
    gate = Lock()
    gate.acquire()
    for unit in turns[walker]:
        due = dues[unit]
        if clock() - at < due:
            if waiting is None:
                wait_until(at, due)
            else:
                wait_for_pacer(at, due, unit, waiting, gate)
        start = clock()
        if start >= close_ns:
            break
        key, (call, value) = take()
        try:
            if value is None:
                call(client, key)
            else:
                call(client, key, value)
        except Exception as error:  # noqa: BLE001 - as in loops.py
            latency = start - samples.failed(error)
            samples.failures += 1
        else:
            latency = clock() - start
        try:
            latencies[index] = latency
            stored[index] = due
            lags[index] = start - at - due
        except IndexError:
            pass  # as in loops.py
        index += 1
    samples.index = index


async def run_arrival_tasks(client: Any, units: Iterator[Command], samples: Samples, part: Part, walker: int) -> None:
    """Do the same in a task; other tasks may take theirs from the same walk."""
    clock, take, new_future = monotonic_ns, units.__next__, asyncio.get_running_loop().create_future
    at, _, close_ns, dues, turns, waiting = part
    latencies, stored, lags, index = samples.storage, samples.dues, samples.lags, samples.index
    for unit in turns[walker]:
        due = dues[unit]
        if clock() - at < due:
            if waiting is None:
                await wait_in_loop(at, due)
            else:
                waiting[unit] = future = new_future()
                await future
        start = clock()
        if start >= close_ns:
            break
        key, (call, value) = take()
        try:
            await (call(client, key) if value is None else call(client, key, value))
        except Exception as error:  # noqa: BLE001 - as above
            latency = start - samples.failed(error)
            samples.failures += 1
        else:
            latency = clock() - start
        try:
            latencies[index] = latency
            stored[index] = due
            lags[index] = start - at - due
        except IndexError:
            pass
        index += 1
    samples.index = index
