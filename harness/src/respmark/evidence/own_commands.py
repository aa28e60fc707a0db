"""How many commands besides the workload's the clients may have sent: an upper bound that holds on every server.

A connection that is opened introduces itself, and an open one asks now and then whether its server is still there.
Servers before Redis 7.0 count subcommands under their command (`CLIENT SETINFO` as `client`), later ones apart, and
some do not count what they refuse: so the bound is for a command with all its subcommands. What is beyond it was sent
by somebody else.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import Integers, SliceArrays

SENT_A_CONNECTION: Final = 8
"""Of each command, when a connection is opened: StackExchange.Redis sends CLIENT up to five times, and CONFIG four."""
KEPT_ALIVE_A_SECOND: Final = 1.0
"""Of each command with which an open connection asks whether its server is still there."""
CONNECTIONS_A_REPLICA: Final = 2
"""A replica acknowledges once a second, and sends a few commands when it connects: as many as two clients may."""


def unexpected_commands(slices: SliceArrays, opened: Integers) -> Mismatch:
    """Return where more was sent than the workload and what connections may send.

    `opened` is how many connections the trial itself claims to have opened, by slice: commands that no library is
    known to send may belong to those, and not to connections of somebody else.
    """
    found = list(_counted(slices, opened))

    def words(place: int) -> str:
        listed = ", ".join(
            f"{one.command.upper()} {one.calls[place]:,} (at most {one.most[place]:,})"
            for one in found
            if one.calls[place] > one.most[place]
        )
        return f"the server saw commands that are not in the workload: {listed}; is anyone else using this server?"

    beyond = [one.calls > one.most for one in found]
    return Mismatch(np.any(beyond, axis=0) if beyond else np.zeros(len(slices), dtype=np.bool_), words)


@dataclass(frozen=True)
class _Counted:
    """How often a command was sent in each slice, and how often it may be."""

    command: str
    calls: Integers
    most: Integers


def _counted(slices: SliceArrays, opened: Integers) -> Iterator[_Counted]:
    received = slices.whole("evidence", "connections_received")
    transactions = slices.known("evidence", "expected", "calls", "exec").values
    open_ones = _of_open_connections(slices)
    # Some libraries send a command of their own before each transaction (SELECT, in StackExchange.Redis 1).
    known = SENT_A_CONNECTION * received + open_ones + transactions
    unknown = SENT_A_CONNECTION * opened + open_ones
    for kind, most in (("setup_calls", known), ("library_calls", known), ("other_calls", unknown)):
        for command, calls in _by_command(slices, kind).items():
            yield _Counted(command, calls, most)


def _by_command(slices: SliceArrays, kind: str) -> dict[str, Integers]:
    """Return how often each command was sent, with all its subcommands."""
    none = np.zeros(len(slices), dtype=np.int64)
    calls: defaultdict[str, Integers] = defaultdict(lambda: none)
    for name, count in slices.mapping("evidence", kind).items():
        command = name.partition("|")[0]
        calls[command] = calls[command] + count.values
    return calls


def _of_open_connections(slices: SliceArrays) -> Integers:
    connections, replicas = (slices.whole("evidence", name) for name in ("connections_all", "replicas"))
    seconds = 1 + slices.whole("evidence", "elapsed_ns") / 1e9 * KEPT_ALIVE_A_SECOND
    often = np.rint((connections + CONNECTIONS_A_REPLICA * replicas) * seconds)
    return often.astype(np.int64)
