"""Keeps a client that works with one thread off the server's CPU, as the kernel does in continuous work.

After a rest, Linux often puts two processes that alternate in waiting for each other on the same CPU. It separates them
only when their average load has risen, which takes 60 ms or more. On one CPU, no command has to wake another CPU, and a
client with one command in flight does up to three times as many commands. No application that works continuously sees
such rates, but a client rests before each of its slices while it waits for its turn (docs/statistics.md has figures).

Whether a client works with one thread is decided once for each client and scenario, by `specs/one-thread.toml`: a
threshold that each run applies anew to its first round would place a client here in one run, there in the next. Of a
client that was never measured, the first round of a cell decides for all others.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from respmark.machine.kernel import used_ns
from respmark.specs.one_thread import ONE_THREAD


@dataclass(frozen=True)
class Busiest:
    """The thread that used the most CPU between two readings of all threads."""

    thread: int
    works_alone: bool
    """Whether others did little beside it."""


def busiest(before: Mapping[int, int] | None, after: Mapping[int, int] | None) -> Busiest | None:
    """Return the busiest thread between two readings of all threads; None if none worked, or it is unknown."""
    used = used_ns(before, after)
    thread = max(used, key=lambda thread: used[thread], default=None)
    if thread is None or used[thread] <= 0:
        return None
    return Busiest(thread, works_alone=used[thread] >= ONE_THREAD * sum(used.values()))
