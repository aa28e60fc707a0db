"""Where runners run, which CPUs they and the target get, and whether idle CPUs are kept awake.

While a client waits for a reply, its CPU is idle; while the next command is on its way, the server's CPU is. Waking a
sleeping CPU can take longer than the command, and can count as its CPU time. On a virtual machine, the hypervisor does
it, and takes a different time each time (docs/statistics.md has figures).
"""

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from respmark.contract.base import Message
from respmark.errors import InvalidRequestError

PIECES: Final = 3
"""A share for the target, one for the clients, and one processor core for everything else."""
DEVICE: Final = Path("dev/cpu_dma_latency")
"""While a process holds it open and has written 0, no CPU enters a state that takes time to leave. This ends with the
process, at the latest (Linux, Documentation/power/pm_qos_interface.rst)."""
DRIVER: Final = Path("sys/devices/system/cpu/cpuidle/current_driver")
NO_TIME: Final = struct.pack("i", 0)
"""The longest time, in microseconds, that waking a CPU may take."""
ROOT: Final = Path("/")


class BackendName(StrEnum):
    """Where runners run."""

    LOCAL = "local"
    DOCKER = "docker"
    DASK = "dask"

    @property
    def has_hosts(self) -> bool:
        """Return whether runners are on hosts of a cluster."""
        return self is BackendName.DASK


@dataclass(frozen=True)
class HostsWanted:
    """The hosts that the user asked for."""

    scheduler: str
    """Its address, or `local:3`: a cluster of three workers on this machine."""
    most: int | None = None
    """How many hosts; None: every worker's."""
    may_be_read: bool = False
    """Whether passwords may be sent to a scheduler without TLS."""
    only: str | None = None
    """A resource that their workers have, or a pattern of their names; None: all workers."""
    server: str | None = None
    """The worker on the server's host, by name or address, which runs no client; None: there is none."""
    per_host: int = 1
    """How many processes of a client a host gets before the next host gets any."""


def idle_words(*, awake: bool | None) -> str | None:
    """Say whether idle CPUs were kept awake; None if that is not known."""
    return {True: "idle CPUs kept awake", False: "idle CPUs sleep", None: None}[awake]


class Placement(Message):
    """The CPU sets of a run, as the kernel writes them: `0-1,4`."""

    target: str | None
    """Null: not pinned, or not ours to pin."""
    clients: str | None
    """All runner processes share it; null: not pinned."""
    note: str | None = None
    """What a reader must know about the choice."""
    awake: bool | None = None
    """Whether idle CPUs were kept awake; null in records that were written before respmark could do that."""

    @property
    def words(self) -> str:
        """Return the placement as one line of text."""
        places = [f"{who} on CPU {cpus}" for who, cpus in (("target", self.target), ("clients", self.clients)) if cpus]
        return "; ".join(filter(None, [", ".join(places) or "not pinned", self.note, idle_words(awake=self.awake)]))


UNPINNED: Final = Placement(target=None, clients=None)


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


def usual(available: frozenset[int] | None = None) -> Placement:
    """Return the default placement, with a target that is ours: it gets one core, which clients may use, too.

    Only a client that works with one thread is kept off that core (`respmark.kinds.loops.off_core`).
    """
    found = cores(available or available_cpus())
    if len(found) == 1 or not can_pin():
        return UNPINNED
    note = "a client that works with one thread keeps off it"
    return Placement(target=write_cpus(found[0]), clients=None, note=note)


def split(available: list[frozenset[int]]) -> Placement:
    """Split cores between target and clients; if there are enough, one stays free for everything else.

    An odd core goes to the clients: a runtime's helpers (compiler, garbage collector) need it more than a server's do.
    """
    if len(available) == 1:
        only = "one core cannot be split between target and clients"
        return Placement(target=None, clients=None, note=only)
    ours = available[1:] if len(available) >= PIECES else available
    half = len(ours) // 2
    note = None if len(available) >= PIECES else "no core is left for the harness and the system"
    target, clients = (write_cpus(frozenset().union(*part)) for part in (ours[:half], ours[half:]))
    return Placement(target=target, clients=clients, note=note)


def place(
    target: str | None, clients: str | None, *, target_is_ours: bool, available: frozenset[int] | None = None
) -> Placement:
    """Return the placement that was asked for: a missing set gets all other CPUs; without any, cores are split."""
    here = available or available_cpus()
    given = {"--pin-target": target, "--pin-clients": clients}
    sets = {option: parse_cpus(written) for option, written in given.items() if written is not None}
    for option, chosen in sets.items():
        if beyond := chosen - here:
            raise InvalidRequestError(
                f"{option}: CPU {write_cpus(beyond)} does not exist; this machine has {write_cpus(here)}"
            )
    free = here.difference(*sets.values())
    if len(sets) == 1 and not free:
        raise InvalidRequestError(f"{next(iter(sets))} uses every CPU; leave some free, or name both sets")
    if sets:
        theirs, ours = sets.get("--pin-target", free), sets.get("--pin-clients", free)
        note = f"they share CPU {write_cpus(theirs & ours)}" if target_is_ours and theirs & ours else None
        found = Placement(target=write_cpus(theirs), clients=write_cpus(ours), note=note)
    else:
        found = split(cores(here))
    return found if target_is_ours else found.model_copy(update={"target": None})


@contextmanager
def placed(cpus: str | None) -> Iterator[None]:
    """Let programs that are started meanwhile inherit these CPUs; our own are restored afterwards."""
    if cpus is None:
        yield
        return
    if not can_pin():
        raise InvalidRequestError(
            "this system cannot pin processes to CPUs; leave out --pin, or measure on Linux or with --via docker"
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


def has_idle_driver(root: Path = ROOT) -> bool:
    """Return whether the kernel chooses idle states here, and can be asked to choose none that sleeps."""
    try:
        return (root / DRIVER).read_text().strip() not in {"", "none"}
    except OSError:
        return False


def can_keep_awake(root: Path = ROOT) -> bool:
    """Return whether this process may keep CPUs awake, and whether that has an effect."""
    return has_idle_driver(root) and os.access(root / DEVICE, os.W_OK) and not (root / DEVICE).is_dir()


@contextmanager
def kept_awake(root: Path = ROOT) -> Iterator[None]:
    """Keep all CPUs of this machine awake."""
    if not has_idle_driver(root):
        raise InvalidRequestError("CPUs cannot be kept awake here: the kernel has no cpuidle driver; leave out --awake")
    try:
        device = os.open(root / DEVICE, os.O_WRONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InvalidRequestError(
            f"CPUs cannot be kept awake here: {root / DEVICE}: {error.strerror}; leave out --awake, or let this user "
            "write that file"
        ) from error
    try:
        os.write(device, NO_TIME)
        yield
    finally:
        os.close(device)
