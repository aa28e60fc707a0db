"""Keeps a client that works with one thread off the server's CPU, where the kernel has it in continuous work.

After a rest, Linux often puts two processes that take turns in waiting for each other on one CPU, and parts them only
when their average load has risen, which takes 60 ms and more. On one CPU a command costs no wake-up of another, and a
client of one command at a time does up to three times as many: what no application sees that goes on working. A client
that waits for its turn rests before each of its slices (docs/statistics.md has figures).
"""

import os
from collections.abc import Mapping
from typing import Final

from respmark.evidence.kernel import used_ns
from respmark.placement import can_pin

ONE_THREAD: Final = 2 / 3
"""Of a client's CPU: a thread that uses at least so much works alone, beside compilers and collectors."""


def busy_thread(before: Mapping[int, int] | None, after: Mapping[int, int] | None) -> int | None:
    """Return the thread that worked alone between two readings of all threads' CPU; None: several did, or unknown."""
    used = used_ns(before, after)
    busiest = max(used, key=lambda thread: used[thread], default=None)
    if busiest is None or used[busiest] <= 0:
        return None
    return busiest if used[busiest] >= ONE_THREAD * sum(used.values()) else None


def keep_apart(thread: int | None, server: int | None) -> bool:
    """Let a thread use all its CPUs but those that the process of the server is bound to; tell whether it does now.

    A server that may use every CPU leaves none, and the thread stays as it is.
    """
    if thread is None or server is None or not can_pin():
        return False
    try:
        free = os.sched_getaffinity(thread) - os.sched_getaffinity(server)
        if free:
            os.sched_setaffinity(thread, free)
    except ProcessLookupError:
        return False  # one of them has ended, which the next slice tells
    return bool(free)
