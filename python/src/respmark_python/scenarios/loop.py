"""The measured loops: the client is charged for every nanosecond in them.

One clock reading ends a unit and starts the next, one store keeps its latency, one comparison checks whether the time
is over. Everything else is done after failures and between slices.
"""

from collections.abc import Iterator
from time import monotonic_ns

from respmark_python.recorder.samples import Samples
from respmark_python.scenarios.failures import Failures
from respmark_python.workload.commands import Command


def run_units(units: Iterator[Command], samples: Samples, failures: Failures, end_ns: int) -> None:
    """Perform units one after the other until the time is over."""
    clock, storage, index, failure = monotonic_ns, samples.storage, samples.index, failures.kinds
    then = clock()
    for key, (call, value) in units:
        try:
            if value is None:
                call(key)
            else:
                call(key, value)
        except failure as error:
            now = failures.failed(error, index, then)
        else:
            now = clock()
            try:
                storage[index] = now - then
            except IndexError:
                now, index = samples.full(now - then), 0
            index += 1
        if now >= end_ns:
            break
        then = now
    samples.index = index


async def run_unit_tasks(units: Iterator[Command], samples: Samples, failures: Failures, end_ns: int) -> None:
    """Perform units one after the other until the time is over; other tasks may take theirs from the same walk."""
    clock, storage, index, failure = monotonic_ns, samples.storage, samples.index, failures.kinds
    then = clock()
    for key, (call, value) in units:
        try:
            await (call(key) if value is None else call(key, value))
        except failure as error:
            now = failures.failed(error, index, then)
        else:
            now = clock()
            try:
                storage[index] = now - then
            except IndexError:
                now, index = samples.full(now - then), 0
            index += 1
        if now >= end_ns:
            break
        then = now
    samples.index = index
