"""How many commands besides the workload's the clients may have sent: an upper bound that holds on every server.

A connection that is opened introduces itself, and an open one asks now and then whether its server is still there.
Servers before Redis 7.0 count subcommands under their command (`CLIENT SETINFO` as `client`), later ones apart, and
some do not count what they refuse: so the bound is for a command with all its subcommands. What is beyond it was sent
by somebody else.
"""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Final

from respmark.evidence.info import Calls
from respmark.evidence.snapshot import Evidence

SETUP_COMMANDS: Final = frozenset({"hello", "auth", "select", "reset", "quit", "client"})
"""What every library may send to open a connection; a client's spec may name more."""
SENT_A_CONNECTION: Final = 8
"""Of each command, when a connection is opened: StackExchange.Redis sends CLIENT up to five times, and CONFIG four."""
KEPT_ALIVE_A_SECOND: Final = 1.0
"""Of each command with which an open connection asks whether its server is still there."""
CONNECTIONS_A_REPLICA: Final = 2
"""A replica acknowledges once a second, and sends a few commands when it connects: as many as two clients may."""


@dataclass(frozen=True)
class SortedCalls:
    """What a server counted, by who may have sent it."""

    workload: dict[str, Calls]
    """The workload's commands, MULTI and EXEC among them."""
    setup: dict[str, int]
    """Handshakes."""
    library: dict[str, int]
    """What the block's libraries send of their own accord, as their specs say: a client that waits may, too."""
    others: dict[str, int]


def sort_calls(calls: Mapping[str, Calls], workload: Container[str], library: Container[str]) -> SortedCalls:
    """Sort commands, in lower case, by who may have sent them."""
    found = SortedCalls({}, {}, {}, {})
    for name, count in calls.items():
        command = name.partition("|")[0]
        if name in workload:
            found.workload[name] = count
        elif name in library or command in library:
            found.library[name] = count.sent
        elif command in SETUP_COMMANDS:
            found.setup[name] = count.sent
        else:
            found.others[name] = count.sent
    return found


def unexpected_commands(calls: SortedCalls, evidence: Evidence, opened: int) -> str | None:
    """Return what was sent beyond the workload and what connections may send.

    `opened` is how many connections the trial itself claims to have opened: commands that no library is known to send
    may belong to those, and not to connections of somebody else.
    """
    seconds = 1 + evidence.elapsed_ns / 1e9 * KEPT_ALIVE_A_SECOND
    open_ones = round((evidence.connections + CONNECTIONS_A_REPLICA * evidence.replicas) * seconds)
    # Some libraries send a command of their own before each transaction (SELECT, in StackExchange.Redis 1).
    transactions = calls.workload.get("exec", Calls(0)).calls
    known = SENT_A_CONNECTION * evidence.connections_received + open_ones + transactions
    kinds = ((calls.setup, known), (calls.library, known), (calls.others, SENT_A_CONNECTION * opened + open_ones))
    beyond = [
        f"{command.upper()} {count:,} (at most {most:,})"
        for found, most in kinds
        for command, count in _by_command(found).items()
        if count > most
    ]
    if not beyond:
        return None
    listed = ", ".join(beyond)
    return f"the server saw commands that are not in the workload: {listed}; is anyone else using this server?"


def _by_command(calls: Mapping[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in calls.items():
        found[name.partition("|")[0]] += count
    return found
