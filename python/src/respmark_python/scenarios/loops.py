"""The measured loops: every nanosecond in them that is not the client's is a lie about it.

One clock reading ends a unit and starts the next, one store keeps its latency, one comparison looks whether the time
is over. Whatever else there is to do, is done after failures and between slices.
"""

from collections.abc import Iterator
from time import monotonic_ns

from respmark_python.recorder.tally import Tally
from respmark_python.workload.walk import Command

Failures = tuple[type[Exception], ...]


def run_units(units: Iterator[Command], tally: Tally, end_ns: int, failures: Failures) -> None:
    """Perform units one after the other until the time is over."""
    clock, samples, index = monotonic_ns, tally.samples, tally.index
    then = clock()
    for key, (call, value) in units:
        try:
            if value is None:
                call(key)
            else:
                call(key, value)
        except failures as error:
            now = tally.failed(error, index, then)
        else:
            now = clock()
            try:
                samples[index] = now - then
            except IndexError:
                now, index = tally.full(now - then), 0
            index += 1
        if now >= end_ns:
            break
        then = now
    tally.index = index


async def run_unit_tasks(units: Iterator[Command], tally: Tally, end_ns: int, failures: Failures) -> None:
    """Perform units one after the other until the time is over; other tasks may take theirs from the same walk."""
    clock, samples, index = monotonic_ns, tally.samples, tally.index
    then = clock()
    for key, (call, value) in units:
        try:
            await (call(key) if value is None else call(key, value))
        except failures as error:
            now = tally.failed(error, index, then)
        else:
            now = clock()
            try:
                samples[index] = now - then
            except IndexError:
                now, index = tally.full(now - then), 0
            index += 1
        if now >= end_ns:
            break
        then = now
    tally.index = index
