"""How many commands libraries may send of their own accord: so many a connection, and so many a second.

A handshake belongs to a connection that was accepted in the slice. What a library asks a server now and then (PING,
INFO) belongs to the connections that are open, those of clients that wait for their turn among them; one before each
transaction (SELECT, in StackExchange.Redis 1) belongs to that. Beyond, somebody else uses the server, whatever the
commands are called.
"""

from collections.abc import Iterator
from typing import Final

from respmark.records import Evidence

HANDSHAKES_A_CONNECTION: Final = 2
"""Of each handshake's command: CLIENT SETINFO comes twice, SELECT may, after AUTH."""
KEPT_ALIVE_A_SECOND: Final = 1.0
"""A connection asks at most so often whether its server is there, of each command."""
ASKED_A_CONNECTION: Final = 4
"""Of each command that a client's spec names, when a connection is opened: StackExchange.Redis asks CONFIG for four."""
REPLICA_COMMANDS: Final = frozenset({"replconf", "psync", "sync"})
A_REPLICA: Final = 2
REPLICA_A_SECOND: Final = 2.0
"""A replica acknowledges once a second; so much, and a few when it connects, is its own."""


def unexpected_commands(evidence: Evidence) -> Iterator[str]:
    """Yield what was sent beyond the workload and beyond what connections may send."""
    listed = [
        f"{name.upper()} {count:,}"
        + (f" (at most {limit:,} by {evidence.connections_received:,} new connections)" if limit else "")
        for name, count, limit in _beyond(evidence)
    ]
    if listed:
        what = ", ".join(listed)
        yield f"the server saw commands that are not in the workload: {what}; is anyone else using this server?"


def _beyond(evidence: Evidence) -> Iterator[tuple[str, int, int]]:
    """Yield commands with how often they came, and how often they might have."""
    limits = ((evidence.setup_calls, _handshakes(evidence)), (evidence.library_calls, _asked(evidence)))
    for calls, limit in limits:
        yield from ((name, count, limit) for name, count in calls.items() if count > limit)
    for name, count in evidence.other_calls.items():
        if name.partition("|")[0] not in REPLICA_COMMANDS or count > _replication(evidence):
            yield name, count, 0


def _handshakes(evidence: Evidence) -> int:
    return HANDSHAKES_A_CONNECTION * evidence.connections_received


def _asked(evidence: Evidence) -> int:
    seconds = 1 + evidence.elapsed_ns / 1e9 * KEPT_ALIVE_A_SECOND
    transactions = evidence.expected.calls.get("exec", 0)
    return ASKED_A_CONNECTION * evidence.connections_received + round(evidence.connections_all * seconds) + transactions


def _replication(evidence: Evidence) -> int:
    return round(evidence.replicas * (A_REPLICA + evidence.elapsed_ns / 1e9 * REPLICA_A_SECOND))
