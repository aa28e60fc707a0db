"""The loops over a walker's units: the client is charged for every nanosecond in them.

In the measured ones, one clock reading ends a unit and starts the next, one store keeps its latency, one comparison
checks whether the time is over. Whatever a library raises is a failed unit: its classes are not known here.
"""

import asyncio
from collections.abc import Iterable, Iterator
from time import monotonic_ns
from typing import Any

from samples import Samples
from workload import Command


def run_units(client: Any, units: Iterator[Command], samples: Samples, end_ns: int) -> None:
    """Perform units one after the other until the time is over."""
    clock, storage, index = monotonic_ns, samples.storage, samples.index
    then = clock()
    for key, (call, value) in units:
        try:
            if value is None:
                call(client, key)
            else:
                call(client, key, value)
        except Exception as error:  # noqa: BLE001 - see above
            now = samples.failed(error)
        else:
            now = clock()
            try:  # noqa: SIM105 - `suppress` costs as much as the whole record
                storage[index] = now - then
            except IndexError:
                pass  # it is full: what did not fit is counted afterwards
            index += 1
        if now >= end_ns:
            break
        then = now
    samples.index = index


async def run_unit_tasks(client: Any, units: Iterator[Command], samples: Samples, end_ns: int) -> None:
    """Perform units one after the other until the time is over; other tasks may take theirs from the same walk."""
    clock, storage, index = monotonic_ns, samples.storage, samples.index
    then = clock()
    for key, (call, value) in units:
        try:
            await (call(client, key) if value is None else call(client, key, value))
        except Exception as error:  # noqa: BLE001 - see above
            now = samples.failed(error)
        else:
            now = clock()
            try:  # noqa: SIM105 - as above
                storage[index] = now - then
            except IndexError:
                pass
            index += 1
        if now >= end_ns:
            break
        then = now
    samples.index = index


async def burst(client: Any, commands: Iterable[Command]) -> list[Any]:
    """Issue commands without waiting, and complete them all."""
    tasks = [
        asyncio.ensure_future(call(client, key) if value is None else call(client, key, value))
        for key, (call, value) in commands
    ]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        # `gather` raises the first failure at once: the others must end before the next burst begins.
        await asyncio.wait(tasks)
        raise


def issued(client: Any, command: Command) -> Any:
    """Return what a command's method returns."""
    key, (call, value) = command
    return call(client, key) if value is None else call(client, key, value)


def run_bare(client: Any, units: Iterator[Command], end_ns: int) -> int:
    """Perform units as a user's own loop would, and return how many there were: what `run_units` is judged by."""
    for count, (key, (call, value)) in enumerate(units, start=1):
        if value is None:
            call(client, key)
        else:
            call(client, key, value)
        if monotonic_ns() >= end_ns:
            return count
    return 0


async def run_bare_tasks(client: Any, units: Iterator[Command], end_ns: int) -> int:
    """Do the same with an asynchronous API."""
    for count, (key, (call, value)) in enumerate(units, start=1):
        await (call(client, key) if value is None else call(client, key, value))
        if monotonic_ns() >= end_ns:
            return count
    return 0
