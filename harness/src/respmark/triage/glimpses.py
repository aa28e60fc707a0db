"""What is looked at between two looks, and only while one look a second shows too little.

Connections that are closed at once are gone before the next look: CLIENT LIST is asked for several times in a row.
Whether a connection always sends the same command takes more samples than looks. A loop is hidden beside a client that
pipelines, because reads are counted of all clients together: INFO, several times in a row, shows moments in which only
one command was called.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from respmark.servers.info import NO_CALLS, Info
from respmark.triage.asking import Asker
from respmark.triage.clients import Connections, Fields, parse_clients
from respmark.triage.logs import text
from respmark.triage.snapshot import Alone

OPENED_PER_S: Final = 5.0
"""Connections: with more, they may be closed before anybody looks."""
BUSY_PER_S: Final = 500.0
"""Commands: with more, one of the clients may be a loop."""
PIPELINED: Final = 1.2
"""Commands for each read: with more, some client pipelines."""
ROWS: Final = 200
"""Connections that CLIENT LIST shows at one moment, all replies together: less than a millisecond's work."""
LISTS: Final = 20
"""How often it is asked for at one moment at most."""
SAMPLED: Final = 50
"""Connections up to which it is asked for once at every moment, if one of them may be a loop."""
ENOUGH: Final = 50
"""New connections: whose they are is known then."""
READINGS: Final = 8
"""How often INFO is asked for at one moment."""


@dataclass
class Glimpses:
    """What is seen of one server between looks."""

    asker: Asker
    connections: Connections
    own_address: str
    lists: bool
    """Whether CLIENT LIST may be asked for."""
    _is_opened: bool = False
    _is_busy: bool = False
    _is_mixed: bool = False
    _alone: defaultdict[str, list[Alone]] = field(default_factory=lambda: defaultdict(list))

    def decide(self, before: Mapping[str, str], now: Mapping[str, str], seconds: float) -> None:
        """Take the counters of two looks, which say what there is to see until the next."""
        opened, commands, reads = (
            _changed(before, now, name)
            for name in ("total_connections_received", "total_commands_processed", "total_reads_processed")
        )
        self._is_opened = opened > OPENED_PER_S * seconds
        self._is_busy = commands > BUSY_PER_S * seconds
        self._is_mixed = self._is_busy and commands > PIPELINED * max(reads, 1)

    def take(self, open_now: int) -> None:
        """Look several times in a row, if there is something to see."""
        if self.lists and self._is_busy and open_now <= SAMPLED:
            self.connections.sample(self._listed())
        if self.lists and self._is_opened:
            self._catch(min(LISTS, ROWS // max(open_now, 1)))
        if self._is_mixed:
            self._read()

    def _listed(self) -> list[Fields]:
        return parse_clients(self.asker.ask("CLIENT", "LIST"), self.own_address)

    def _catch(self, times: int) -> None:
        for _ in range(times):
            if self.connections.glimpsed >= ENOUGH or "CLIENT LIST" in self.asker.refused:
                return
            self.connections.glimpse(self._listed())

    def _read(self) -> None:
        replies = [self.asker.ask_all([("INFO", "stats"), ("INFO", "commandstats")]) for _ in range(READINGS)]
        readings = [Info.read("\n".join(text(section or b"") for section in reply)) for reply in replies]
        for before, after in pairwise(readings):
            self._compare(before, after)

    def _compare(self, before: Info, after: Info) -> None:
        changed = {name: one.since(before.calls.get(name, NO_CALLS)).calls for name, one in after.calls.items()}
        called = {name: calls for name, calls in changed.items() if calls > 0 and name != "info"}
        reads = int(_changed(before.fields, after.fields, "total_reads_processed")) - 1  # one is respmark's own
        if len(called) == 1 and reads > 0:
            ((name, calls),) = called.items()
            self._alone[name].append(Alone(calls=calls, reads=reads))

    @property
    def alone(self) -> dict[str, Alone]:
        """Return the moments in which each command was the only one."""
        return {
            name: Alone(calls=sum(one.calls for one in found), reads=sum(one.reads for one in found))
            for name, found in self._alone.items()
        }


def _changed(before: Mapping[str, str], now: Mapping[str, str], name: str) -> float:
    old, new = before.get(name, ""), now.get(name, "")
    return float(int(new) - int(old)) if old.isdecimal() and new.isdecimal() else 0.0
