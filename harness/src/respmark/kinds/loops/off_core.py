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
from respmark.run.processes import TrialProcesses
from respmark.run.state import RunState
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


def keep_off_server(processes: TrialProcesses, state: RunState, before: Mapping[int, int] | None) -> bool:
    """Keep a client off the server's CPU if one thread does its work; return whether it is now.

    If the client was never measured, the time since `before` in the first round of a cell decides for all others.
    """
    cell, bed = processes.trial.cell, processes.bed
    # A driver works in processes of its own, which stay where the one that starts them is put.
    found = busiest(before, processes.threads_ns()) if len(processes.runners) == 1 else None
    wanted = bed.one_thread.works_alone(cell.client, cell.scenario)
    if wanted is None:
        wanted = state.off_core.get(cell.id, found is not None and found.works_alone)
    server = processes.in_use.server.pid
    if not wanted or found is None or server is None:
        return False
    return processes.runners[0].keep_off(found.thread, server)
