"""What the server saw while one trial connected and verified replies, and nobody else did anything."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from respmark.contract.trial import Scenario
from respmark.evidence.protocols import ProtocolWatch
from respmark.evidence.snapshot import Snapshot, connections, handshake_between, take
from respmark.results.records import Handshake
from respmark.target.control import Control

BLOCK: Final = frozenset({"multi", "exec"})
SILENT: Final = "NULL"
"""In CLIENT LIST, the last command of a connection that has sent none."""
FIRST_COMMAND_S: Final = 0.5
"""The longest wait for a connection's first command: short, as some libraries open connections that stay silent."""
PAUSE_S: Final = 0.01


@dataclass(frozen=True)
class Connecting:
    """The server's counters before and after, and which RESP versions the new connections spoke."""

    before: Snapshot
    after: Snapshot
    protocols: dict[int, int] | None

    @property
    def opened(self) -> int:
        """Return how many connections the trial left open."""
        return connections(self.after) - connections(self.before)

    def handshake(self, protocol: int) -> Handshake:
        """Return the evidence, with the RESP version that the client's label names.

        Raises:
            TargetLostError: the server was restarted in between.
        """
        spoken = {"protocol": protocol, "protocols": self.protocols}
        return handshake_between(self.before, self.after).model_copy(update=spoken)


def observed(control: Control, scenario: Scenario, names: Iterable[str], connect: Callable[[], None]) -> Connecting:
    """Let a trial connect, and return what the server saw; `names` are its workload's commands, in lower case."""
    watch = ProtocolWatch(control, BLOCK.union(names))
    before = take(control)
    if scenario is Scenario.NEW_CONNECTION:
        with watch.looking():
            connect()
    else:
        connect()
        await_first_commands(watch)
        watch.look()
    return Connecting(before, take(control), watch.found())


def await_first_commands(
    watch: ProtocolWatch,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until every connection that was opened has sent a command, at most `FIRST_COMMAND_S`.

    A library may be ready when its second connection, for subscriptions, is not: on a busy machine that one would
    introduce itself in the first slice, where its commands would be taken for a stranger's.
    """
    end_s = clock() + FIRST_COMMAND_S
    while clock() < end_s and any(client.get("cmd") == SILENT for client in watch.opened()):
        sleep(PAUSE_S)
