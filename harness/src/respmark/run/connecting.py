"""What the server saw while one trial connected and verified replies, and nobody else did anything."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from respmark.results.records import Handshake
from respmark.servers.control import Control
from respmark.servers.evidence import NewConnections, connections, evidence_between, take
from respmark.workload.spec import KeyArgument
from respmark.workload.workload import Workload

SETUP_COMMANDS: Final = frozenset(
    {
        *("hello", "auth", "select", "reset", "quit", "client"),
        # A client of a cluster asks for its nodes, and which commands have which keys; a replica is to answer reads.
        *("cluster", "command", "readonly", "readwrite", "asking"),
    }
)
"""What every library may send to open a connection; a client's spec may name more."""
BLOCK: Final = frozenset({"multi", "exec"})
LISTED: Final = "client|list"
"""What the harness sends meanwhile; no library sends it."""
SILENT: Final = "NULL"
"""`cmd=` in CLIENT LIST of a connection that has not sent a command yet."""
FIRST_COMMAND_S: Final = 0.5
"""The longest wait for a connection's first command: short, as some libraries open connections that stay silent."""
PAUSE_S: Final = 0.01
WRITERS: Final = frozenset({"SET", "MSET"})
READ_BACK: Final = 20
"""Keys that are read back; every value is sent the same way."""


def observed(
    control: Control, names: Iterable[str], protocol: int, connect: Callable[[], None]
) -> tuple[Handshake, int]:
    """Let a trial connect; return what the server saw, and how many connections the trial left open.

    `names` are its workload's commands, in lower case; `protocol` is the RESP version that the client's label names.

    Raises ServerLostError if the server was restarted meanwhile.
    """
    opened, before = NewConnections(control), take(control)
    connect()
    await_first_commands(opened)
    protocols, after = opened.protocols(BLOCK.union(names)), take(control)
    seen = evidence_between(before, after)
    handshake = {
        "connections_received": seen.connections_received,
        "calls": {name: count.sent for name, count in seen.calls.items() if name != LISTED},
        "protocol": protocol,
        "protocols": protocols,
    }
    return Handshake.model_validate(handshake), max(0, connections(after) - connections(before))


def await_first_commands(
    opened: NewConnections,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until every connection that was opened has sent a command, at most `FIRST_COMMAND_S`.

    A library may be ready when its second connection, for subscriptions, is not: on a busy machine that one would
    introduce itself in the first slice, where its commands would be taken for a stranger's.
    """
    end_s = clock() + FIRST_COMMAND_S
    while clock() < end_s and any(client.get("cmd") == SILENT for client in opened.fields()):
        sleep(PAUSE_S)


def mismatched_key(control: Control, workload: Workload, first: int, commands: int) -> str | None:
    """Return which key holds something else than its value after these commands; None if all are right.

    Replies alone do not show what was sent. What is written, read and deleted in turn is shown by its reads.
    """
    if workload.header.in_order:
        return None
    for number in _written(workload, first, commands)[:READ_BACK]:
        key = workload.key(number)
        found = control.holding(key).command("GET", key)
        # Another process may have written it since, in another size.
        size = len(found) if isinstance(found, bytes) else 0
        is_of_a_size = workload.header.sizes.min_bytes <= size <= workload.header.sizes.max_bytes
        if not is_of_a_size or found != workload.value(number, size):
            return f"the client wrote {key.decode()} in verification, but the server does not hold the workload's value"
    return None


def _written(workload: Workload, first: int, commands: int) -> list[int]:
    numbers = []
    for index in range(first, first + commands):
        row = index % len(workload.kinds)
        kind = workload.header.mix[workload.kinds[row]]
        if kind.name in WRITERS:
            offsets = [one.offset for one in kind.arguments if isinstance(one, KeyArgument)]
            numbers += [int(workload.keys[row]) + offset for offset in offsets]
    return list(dict.fromkeys(numbers))
