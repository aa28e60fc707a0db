"""The open loops: units start when they are due, however long the ones before them took.

The units of a part are one queue: whoever is idle takes the next one, waits until it is due, and performs it. At most
one waits awake, the one with the next unit: the others sleep until the unit before theirs is due.
"""

import asyncio
import ctypes
import os
from array import array
from collections import deque
from collections.abc import Iterator
from math import inf
from pathlib import Path
from select import select
from time import CLOCK_MONOTONIC, monotonic_ns, sleep
from typing import Any, Final, NamedTuple

from samples import Samples
from workload import Command

MARGIN_NS: Final = 20_000
"""A sleep ends so long before what it waits for: most sleepers wake later by less than that."""
S: Final = 10**9


class Part(NamedTuple):
    """The lead-in or the measured part of a slice."""

    at: int
    end_ns: int
    close_ns: int
    """A unit that has not started by then never does."""
    queue: Iterator[tuple[int, float]]
    """When each of this process's units is due, in ns since `at`, and the one before it. Taking the next one is atomic,
    as the interpreter does it in one step of C."""
    awake_ns: int
    """How long before a unit is due whoever waits for it reads the clock."""


def read_arrivals(order: dict[str, Any]) -> tuple[Part, Part]:
    """Return the lead-in and the measured part of this process's units."""
    given, lead_in_ns = order["arrivals"], order["lead_in_ns"]
    at, begin, drain_ns, awake_ns = given["at"], given["lead_in"], given["drain_ns"], given.get("awake_ns", MARGIN_NS)
    dues = array("q", Path(given["file"]).read_bytes())
    before = [-inf, *dues[:-1]]

    def made(units: slice, end_ns: int) -> Part:
        queue = zip(dues[units], before[units], strict=False)
        return Part(at, at + end_ns, at + end_ns + drain_ns, queue, awake_ns)

    return made(slice(begin), lead_in_ns), made(slice(begin, None), lead_in_ns + order["ns"])


def wait_until(at: int, due: float, before: float = -inf, awake_ns: int = MARGIN_NS) -> None:
    """Return `due` ns after `at`, or at once if that is over.

    The last `awake_ns` are waited for awake, but none before the unit before is due.
    """
    while (left_ns := at - monotonic_ns() + due) > 0:
        asleep_ns = left_ns - min(awake_ns, due - before)
        if asleep_ns > 0:
            sleep(asleep_ns / S)
        else:
            # Gives the interpreter's lock to other threads for a moment, and, unlike `sched_yield`, no processor.
            select((), (), (), 0)


def run_arrivals(client: Any, units: Iterator[Command], samples: Samples, part: Part) -> None:
    """Perform units, each when it is due, until there are no more or the part is closed."""
    clock, take = monotonic_ns, units.__next__
    at, _, close_ns, queue, awake_ns = part
    latencies, stored, lags, index = samples.storage, samples.dues, samples.lags, samples.index
    for due, before in queue:
        wait_until(at, due, before, awake_ns)
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


async def run_arrival_tasks(
    client: Any, units: Iterator[Command], samples: Samples, part: Part, alarm: "Alarm"
) -> None:
    """Do the same in a task; other tasks may take theirs from the same walk."""
    clock, take = monotonic_ns, units.__next__
    at, _, close_ns, queue, awake_ns = part
    latencies, stored, lags, index = samples.storage, samples.dues, samples.lags, samples.index
    alarm.awake_ns = awake_ns
    for due, _ in queue:
        if clock() - at < due:
            await alarm.at(at + due)
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


class Alarm:
    """Wakes the tasks of an event loop: one timer for all who wait, for the first of them, when the unit before is due.

    asyncio's own timers have whole milliseconds.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer = KernelTimer()
        self._loop.add_reader(self._timer.descriptor, self._ring)
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        """In the order of their times: tasks take units in the order in which they are due."""
        self.awake_ns = MARGIN_NS
        """How long before its time who waits reads the clock."""

    def at(self, time_ns: float) -> "asyncio.Future[None]":
        """Return what is done at this time of the clock."""
        future = self._loop.create_future()
        self._waiting.append((time_ns, future))
        if len(self._waiting) == 1:
            self._wait(time_ns - monotonic_ns())
        return future

    def close(self) -> None:
        """Stop the timer."""
        self._loop.remove_reader(self._timer.descriptor)
        self._timer.close()

    def _ring(self) -> None:
        self._timer.read()
        self._look()

    def _look(self) -> None:
        """Wake those whose time has come, and wait for the next."""
        waiting, now = self._waiting, monotonic_ns()
        while waiting and waiting[0][0] <= now:
            waiting.popleft()[1].set_result(None)
        if waiting:
            self._wait(waiting[0][0] - now)

    def _wait(self, left_ns: float) -> None:
        if left_ns > self.awake_ns:
            self._timer.set(left_ns - self.awake_ns)
        else:
            # Others have their turn meanwhile.
            self._loop.call_soon(self._look)


class KernelTimer:
    """Linux's timerfd, which can be read from when the timer has expired."""

    def __init__(self) -> None:
        # `os` has it since Python 3.13.
        self._libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(self._libc, "timerfd_create"):
            raise NotImplementedError("this system has no timerfd, which open loops of asyncio wait with")
        self.descriptor: int = self._libc.timerfd_create(CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        self._setting = (ctypes.c_long * 4)()
        """Interval and expiry, each as seconds and nanoseconds."""

    def set(self, after_ns: float) -> None:
        """Let it expire once, after more than 0 ns."""
        self._setting[2], self._setting[3] = divmod(int(after_ns) + 1, S)
        self._libc.timerfd_settime(self.descriptor, 0, self._setting, None)

    def read(self) -> None:
        """Make it wait for the next expiry, after it has expired."""
        os.read(self.descriptor, 8)

    def close(self) -> None:
        """Give it back."""
        os.close(self.descriptor)
