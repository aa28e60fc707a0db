"""How many commands libraries may send of their own accord, by connection and by second.

Each connection that was accepted in the slice may send a handshake. Each open connection, including those of clients
that wait for their turn, may send what libraries ask a server now and then (PING, INFO). Each transaction may have one
more command before it (SELECT, in StackExchange.Redis 1). If there are more, somebody else is using the server,
whatever the commands are called.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import Integers, SliceArrays, Sparse

HANDSHAKES_A_CONNECTION: Final = 2
"""Of each handshake command: CLIENT SETINFO is sent twice, and SELECT may be, after AUTH."""
KEPT_ALIVE_A_SECOND: Final = 1.0
"""Of each command with which a connection asks whether its server is still there."""
ASKED_A_CONNECTION: Final = 4
"""Of each command in a client's spec, when a connection is opened: StackExchange.Redis sends CONFIG four times."""
REPLICA_COMMANDS: Final = frozenset({"replconf", "psync", "sync"})
A_REPLICA: Final = 2
REPLICA_A_SECOND: Final = 2.0
"""A replica acknowledges once a second; this many, and a few when it connects, may be its own."""


def unexpected_commands(slices: SliceArrays) -> Mismatch:
    """Return where more was sent than the workload and what connections may send."""
    excess = list(_beyond(slices))
    beyond = [count.values > one.limit for one in excess for count in one.calls.values()]

    def words(place: int) -> str:
        received = slices.whole("evidence", "connections_received")[place]
        listed = ", ".join(
            f"{name.upper()} {count:,}" + (f" (at most {limit:,} by {received:,} new connections)" if limit else "")
            for name, count, limit in (found for one in excess for found in one.at(place))
        )
        return f"the server saw commands that are not in the workload: {listed}; is anyone else using this server?"

    return Mismatch(np.any(beyond, axis=0) if beyond else np.zeros(len(slices), dtype=np.bool_), words)


@dataclass(frozen=True)
class _Limited:
    """Commands that share a limit."""

    calls: dict[str, Sparse]
    """By command: how often it was sent in each slice."""
    limit: Integers
    """How often each of them may be sent, by slice."""
    told: bool
    """Whether the message names the limit."""

    def at(self, place: int) -> Iterator[tuple[str, int, int]]:
        """Yield each command that was sent too often in a slice, how often it was sent, and how often it may be."""
        limit = int(self.limit[place])
        for name, count in self.calls.items():
            if count.values[place] > limit:
                yield name, int(count.values[place]), limit if self.told else 0


def _beyond(slices: SliceArrays) -> Iterator[_Limited]:
    yield _Limited(slices.mapping("evidence", "setup_calls"), _handshakes(slices), told=True)
    yield _Limited(slices.mapping("evidence", "library_calls"), _asked(slices), told=True)
    none = np.zeros(len(slices), dtype=np.int64)
    for name, count in slices.mapping("evidence", "other_calls").items():
        is_of_replica = name.partition("|")[0] in REPLICA_COMMANDS
        yield _Limited({name: count}, _replication(slices) if is_of_replica else none, told=False)


def _handshakes(slices: SliceArrays) -> Integers:
    return HANDSHAKES_A_CONNECTION * slices.whole("evidence", "connections_received")


def _asked(slices: SliceArrays) -> Integers:
    seconds = 1 + slices.whole("evidence", "elapsed_ns") / 1e9 * KEPT_ALIVE_A_SECOND
    transactions = slices.known("evidence", "expected", "calls", "exec").values
    kept_alive = np.rint(slices.whole("evidence", "connections_all") * seconds).astype(np.int64)
    asked: Integers = ASKED_A_CONNECTION * slices.whole("evidence", "connections_received") + kept_alive + transactions
    return asked


def _replication(slices: SliceArrays) -> Integers:
    seconds = slices.whole("evidence", "elapsed_ns") / 1e9
    allowed = np.rint(slices.whole("evidence", "replicas") * (A_REPLICA + seconds * REPLICA_A_SECOND))
    return allowed.astype(np.int64)
