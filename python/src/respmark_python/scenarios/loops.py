"""The measured loops: every nanosecond in them that is not the client's is a lie about it.

One clock reading ends a unit and starts the next, one store keeps its latency, one comparison looks whether a
checkpoint (progress, half, end) has come. Whatever else there is to do, is done at checkpoints and after failures.
"""

from collections.abc import Iterator
from time import perf_counter_ns

from respmark_python.recorder.tally import OVER, Tally
from respmark_python.workload.walk import Command

Failures = tuple[type[Exception], ...]


def run_units(units: Iterator[Command], tally: Tally, failures: Failures) -> None:
    """Perform units one after the other until the window is over."""
    clock, samples = perf_counter_ns, tally.samples
    checkpoint = tally.begin()
    index = in_a_row = 0
    then = clock()
    for call, arguments in units:
        try:
            call(*arguments)
        except failures as error:
            in_a_row += 1
            now = tally.failed(error, index, in_a_row)
        else:
            now = clock()
            in_a_row = 0
            try:
                samples[index] = now - then
            except IndexError:
                now, index = tally.full(now - then), 0
            index += 1
        then = now
        if now >= checkpoint:
            checkpoint = tally.reached(now, index)
            if checkpoint == OVER:
                return
            then = clock()


async def run_unit_tasks(units: Iterator[Command], tally: Tally, failures: Failures) -> None:
    """Perform units one after the other until the window is over; several tasks may share units and tally."""
    clock, samples = perf_counter_ns, tally.samples
    in_a_row = 0
    then = clock()
    for call, arguments in units:
        try:
            await call(*arguments)
        except failures as error:
            in_a_row += 1
            now = tally.failed(error, tally.index, in_a_row)
        else:
            now = clock()
            in_a_row = 0
            try:
                samples[tally.index] = now - then
            except IndexError:
                now = tally.full(now - then)
            tally.index += 1
        then = now
        if now >= tally.checkpoint:
            if tally.reached(now, tally.index) == OVER:
                return
            then = clock()
