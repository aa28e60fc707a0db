"""Sets of CPUs, as the kernel writes them (`0-1,4`), and the programs and threads that are confined to them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from respmark.errors import InvalidRequestError


def parse_cpus(written: str) -> frozenset[int]:
    """Return the CPUs of a list such as `0-1,4`."""
    found: set[int] = set()
    for piece in written.split(","):
        first, dash, last = piece.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise InvalidRequestError(f"`{written}` is not a list of CPUs; write 0-1,4")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def write_cpus(cpus: Iterable[int]) -> str:
    """Write CPUs as the kernel does."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def can_pin() -> bool:
    """Return whether this system can pin processes to CPUs: Linux can, macOS cannot."""
    return hasattr(os, "sched_setaffinity")


def available_cpus() -> frozenset[int]:
    """Return the CPUs that this process may use."""
    return frozenset(os.sched_getaffinity(0) if can_pin() else range(os.cpu_count() or 1))


def cores(available: frozenset[int]) -> list[frozenset[int]]:
    """Group CPUs that are threads of the same core, if the kernel says so: they slow each other down."""
    found: dict[frozenset[int], None] = {}
    for cpu in sorted(available):
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            siblings = parse_cpus(path.read_text().strip()) & available
        except (OSError, InvalidRequestError):
            siblings = frozenset()
        found.setdefault(siblings | {cpu})
    return list(found)


@contextmanager
def placed(cpus: str | None) -> Iterator[None]:
    """Let programs that are started meanwhile inherit these CPUs; our own are restored afterwards."""
    if cpus is None:
        yield
        return
    if not can_pin():
        raise InvalidRequestError(
            "this system cannot pin processes to CPUs; leave out --cpus, or measure on Linux or with --via docker"
        )
    # Of this thread only: programs inherit it, and other threads of the harness keep theirs.
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, parse_cpus(cpus))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def keep_off(thread: int, server: int) -> bool:
    """Take the CPUs of the server's process, unless that is all, from a thread; return whether it is off them."""
    if not can_pin():
        return False
    try:
        free = os.sched_getaffinity(thread) - os.sched_getaffinity(server)
        if free:
            os.sched_setaffinity(thread, free)
    except ProcessLookupError:
        return False  # one of them has ended, which the next slice will show
    return bool(free)
