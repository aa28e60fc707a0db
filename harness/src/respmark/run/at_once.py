"""Calls each of a trial's processes, those on hosts at the same time: a call there waits for the network."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, TypeVar

from respmark.runners.runner import Runner

Value = TypeVar("Value")

MOST: Final = 256
"""Calls that are under way at the same time."""
_POOL: Final = ThreadPoolExecutor(MOST, thread_name_prefix="calls")
"""Starts a thread only when there is something to call."""


def on_several_hosts(processes: Sequence[Runner]) -> bool:
    """Return whether processes are on at least two hosts."""
    return len({host.name for process in processes if (host := process.host)}) > 1


def call_each(processes: Sequence[Runner], call: Callable[[Runner], Value]) -> list[Value]:
    """Return what a call returns for each process, in their order; raises what the first one that fails raises.

    On one machine, they are called one after the other, in this thread. Calls to hosts have threads of their own: an
    interrupt must not end one whose answer would then be lost. When it returns or raises, none is under way any more.
    """
    if not any(process.host for process in processes):
        return [call(process) for process in processes]
    calls = [_POOL.submit(call, process) for process in processes]
    try:
        wait(calls)
    finally:  # an interrupt ends the slice as it does on one machine: when every process has answered
        wait(calls)
    return [one.result() for one in calls]
