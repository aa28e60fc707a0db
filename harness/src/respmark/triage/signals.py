"""Signals: what rules look at, as numbers with units in their names, computed from a snapshot.

The server is one row; every command, client, error, event, node and sampled key is a row, too. A rule about rows may
name the server's signals as well. Besides those that `KNOWN` lists, each number of INFO is a signal, `info.FIELD`, and
so is its change, `info.FIELD_per_s`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from respmark.specs.triage import About
from respmark.triage import connections, health, memory, traffic
from respmark.triage import rows as of_rows
from respmark.triage.counters import Counters
from respmark.triage.rows import SignalRow
from respmark.triage.snapshot import NodeSnapshot, Who
from respmark.triage.suspects import MONITORED, count, suspects

KNOWN: Final[dict[About, dict[str, str]]] = {
    About.SERVER: {
        **traffic.KNOWN,
        **connections.KNOWN,
        **memory.KNOWN,
        "round_trips": "respmark's own PINGs",
        "median_round_trip_ms": "their median",
        "longest_round_trip_ms": "the longest of them",
        "stood_still_ms": "the longest, less the longest delay of respmark itself for want of a processor",
        "longest_round_trips": "the longest as a multiple of the median",
        "failed_slots": "slots of the cluster that no working node has",
        **health.KNOWN,
        "monitored_s": "how long MONITOR ran",
        "monitored_set_then_expire": "SETs followed by an EXPIRE of the same key",
        "monitored_selects": "SELECTs that MONITOR saw",
        "monitored_repeated_pops": "pops from the same list as the connection's pop before",
        "monitored_conflicts": "EXECs after a WATCH that executed nothing",
        "monitored_longest_run": "longest series of one command on a connection, each time with another key",
    },
    **of_rows.KNOWN,
}
"""What each signal is, by what a row is about."""


@dataclass(frozen=True, eq=False)
class Signals:
    """All rows of one server."""

    node: NodeSnapshot
    _rows: dict[About, list[SignalRow]] = field(default_factory=dict)

    @cached_property
    def counters(self) -> Counters:
        """Return what its INFO counted."""
        return Counters(self.node)

    @cached_property
    def server(self) -> SignalRow:
        """Return the server's own row."""
        signals = {
            **self.counters.info,
            **traffic.traffic(self.counters),
            **connections.connections(self.counters),
            **memory.memory(self.counters),
            **memory.keys(self.counters),
            **_round_trips(self.node),
            "failed_slots": self.node.failed_slots,
            **health.health(self.node.last),
            **_monitored(self.node),
        }
        return SignalRow(About.SERVER, self.node.address, signals)

    def rows(self, of: About) -> list[SignalRow]:
        """Return the rows of a kind."""
        if of not in self._rows:
            self._rows[of] = [self.server] if of is About.SERVER else list(of_rows.rows(of, self.counters))
        return self._rows[of]

    def suspects(self, words: Iterable[str]) -> tuple[Who, ...]:
        """Return the clients that these words are about (`RuleSpec.suspects`), the likeliest first."""
        return suspects(words, self.counters)


def _round_trips(node: NodeSnapshot) -> dict[str, float]:
    if (found := node.round_trips) is None:
        return {}
    return {
        "round_trips": found.count,
        "median_round_trip_ms": found.median_ms,
        "longest_round_trip_ms": found.longest_ms,
        "stood_still_ms": max(0.0, found.longest_ms - found.own_delay_ms),
        "longest_round_trips": found.longest_ms / max(found.median_ms, 1e-6),
    }


def _monitored(node: NodeSnapshot) -> dict[str, float]:
    if node.monitor is None:
        return {}
    *sums, runs = ([count(one, how) for one in node.monitor.clients] for how in MONITORED)
    found = {f"monitored_{how}": float(sum(counts)) for how, counts in zip(MONITORED, sums, strict=False)}
    return found | {"monitored_longest_run": max(runs, default=0), "monitored_s": node.monitor.seconds}
