"""Which CPUs server and clients get, and whether idle CPUs are kept awake."""

from typing import Final

from respmark.contract.base import Message
from respmark.errors import InvalidRequestError
from respmark.machine.cpus import available_cpus, can_pin, cores, parse_cpus, write_cpus

SPLIT: Final = "split"
FREE: Final = "free"
"""Values of `--cpus`."""

PIECES: Final = 3
"""A share for the server, one for the clients, and one processor core for everything else."""


def idle_words(*, awake: bool | None) -> str | None:
    """Say whether idle CPUs were kept awake; None if that is not known."""
    return {True: "idle CPUs kept awake", False: "idle CPUs sleep", None: None}[awake]


class Placement(Message):
    """The CPU sets of a run, as the kernel writes them: `0-1,4`."""

    server: str | None
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
        places = [f"{who} on CPU {cpus}" for who, cpus in (("server", self.server), ("clients", self.clients)) if cpus]
        return "; ".join(filter(None, [", ".join(places) or "not pinned", self.note, idle_words(awake=self.awake)]))


UNPINNED: Final = Placement(server=None, clients=None)


def usual(available: frozenset[int] | None = None) -> Placement:
    """Return the default placement, with a server that is ours: it gets one core, which clients may use, too.

    Only a client that works with one thread is kept off that core (`respmark.kinds.loops.off_core`).
    """
    found = cores(available or available_cpus())
    if len(found) == 1 or not can_pin():
        return UNPINNED
    note = "a client that works with one thread keeps off it"
    return Placement(server=write_cpus(found[0]), clients=None, note=note)


def split(available: list[frozenset[int]]) -> Placement:
    """Split cores between server and clients; if there are enough, one stays free for everything else.

    An odd core goes to the clients: a runtime's helpers (compiler, garbage collector) need it more than a server's do.
    """
    if len(available) == 1:
        only = "one core cannot be split between server and clients"
        return Placement(server=None, clients=None, note=only)
    ours = available[1:] if len(available) >= PIECES else available
    half = len(ours) // 2
    note = None if len(available) >= PIECES else "no core is left for the harness and the system"
    server, clients = (write_cpus(frozenset().union(*part)) for part in (ours[:half], ours[half:]))
    return Placement(server=server, clients=clients, note=note)


def place(asked: str, *, server_is_ours: bool, available: frozenset[int] | None = None) -> Placement:
    """Return the placement that `split` or `SERVER:CLIENTS` asks for; a side that is left out gets all other CPUs."""
    here = available or available_cpus()
    found = split(cores(here)) if asked == SPLIT else _named(asked, here, server_is_ours=server_is_ours)
    return found if server_is_ours else found.model_copy(update={"server": None})


def _named(asked: str, here: frozenset[int], *, server_is_ours: bool) -> Placement:
    first, colon, second = asked.partition(":")
    if not colon or not (first or second):
        raise InvalidRequestError(
            f"--cpus {asked}: write `{SPLIT}`, `{FREE}`, or the server's and the clients' CPUs with a colon between "
            "them, such as 0-1:2-7, 0-1: or :2-7"
        )
    named = [parse_cpus(side) if side else None for side in (first, second)]
    taken = frozenset().union(*filter(None, named))
    if beyond := taken - here:
        raise InvalidRequestError(
            f"--cpus {asked}: CPU {write_cpus(beyond)} does not exist; this machine has {write_cpus(here)}"
        )
    if None in named and taken == here:
        raise InvalidRequestError(f"--cpus {asked} uses every CPU; leave some free, or name both sides")
    theirs, ours = (here - taken if side is None else side for side in named)
    note = f"they share CPU {write_cpus(theirs & ours)}" if server_is_ours and theirs & ours else None
    return Placement(server=write_cpus(theirs), clients=write_cpus(ours), note=note)
