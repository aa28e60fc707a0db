"""One server that is watched: what is asked of it at the beginning, at every moment, and at the end.

What costs the server more than a moment is adapted to its size: CLIENT LIST is asked for at every look only where few
are connected.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError, ServerLostError
from respmark.servers.control import Control
from respmark.servers.url import address
from respmark.triage.asking import NAME, Asker
from respmark.triage.clients import Connections, parse_clients
from respmark.triage.cluster import failed_nodes, failed_slots
from respmark.triage.glimpses import Glimpses
from respmark.triage.kept import as_counted, kept
from respmark.triage.keys import sample
from respmark.triage.logs import Histograms, histograms, histograms_between, latency_events, slow_calls, text
from respmark.triage.lost import restarted, silent, timed_out, what_became_of
from respmark.triage.monitor import monitored
from respmark.triage.options import WatchOptions
from respmark.triage.snapshot import NodeSnapshot, Refusal, RoundTrips

LISTED_ALWAYS: Final = 200
"""Connections up to which CLIENT LIST is asked for at every look: it takes the server some microseconds for each."""
LISTED_TWICE: Final = 2_000
"""Connections up to which it is asked for at the beginning and at the end, not only at the end."""
LISTED_US: Final = 26.0
"""What a connection takes the first time: 264 ms for 10,000."""
SLOW_LIST: Final = (
    "warning: {:,} connections are open: CLIENT LIST, which is asked for once at the end, may hold the server for "
    "{:.0f} ms; --no-client-list leaves it out"
)
RECEIVED: Final = "total_connections_received"
"""A counter that only CONFIG RESETSTAT sets back, besides a restart."""
MISSED_LITTLE: Final = frozenset({"PING", "CLUSTER INFO"})
"""What may be refused without a word about it."""
SETTINGS: Final = ("maxclients", "slowlog-log-slower-than")
SINCE_HISTOGRAMS: Final = 7
"""The first major version with LATENCY HISTOGRAM."""


@dataclass(frozen=True)
class WatchProgress:
    """What is seen at one moment of the watch, for a terminal."""

    elapsed_s: float
    commands_per_s: float
    connections_per_s: float
    """Opened."""
    connections: int | None
    """Open; None: not asked for at every look, because there are so many."""


@dataclass
class NodeWatch:
    """One server that is being watched."""

    endpoint: Endpoint
    clock: Callable[[], float] = time.monotonic
    began_s: float = 0.0
    first: dict[str, str] = field(default_factory=dict)
    lost: str | None = None
    sees_cluster: bool = False
    """Whether it is the one that is asked about its cluster."""
    client_list: bool = True
    tell: Callable[[str], object] = lambda _: None
    resets: int = 0
    own_delay_s: float = 0.0
    """The longest that respmark itself had to wait for a processor."""
    connections: Connections = field(default_factory=Connections)
    _round_trips_s: list[float] = field(default_factory=list)
    asker: Asker = field(init=False)
    own_address: str = field(init=False)
    _glimpses: Glimpses = field(init=False)
    _settings: dict[str, str] = field(init=False)
    _histograms: Histograms = field(init=False)
    _before: Counter[str] = field(init=False)
    _reads_before: int = field(init=False)
    _last_look: tuple[float, dict[str, str]] = field(init=False)

    def open(self) -> None:
        """Connect, and take what the server says about itself; raises ServerError."""
        control = Control(self.endpoint)
        try:
            control.open("INFO", "server")
        except ServerError as error:
            if timed_out(error) and self.endpoint.tls is None:
                raise ServerError(silent(self.endpoint, "accepts connections, but")) from error
            raise
        self.asker = Asker(control)
        self.own_address = control.local_address
        self._glimpses = Glimpses(self.asker, self.connections, self.own_address, self.client_list)
        self.asker.ask("CLIENT", "SETNAME", NAME)
        self.asker.refused.pop("CLIENT SETNAME", None)  # its address serves as well
        self.first = {**self._info("server"), **self._info("cluster")}
        if self.first.get("redis_mode") == "sentinel":
            raise ServerError(
                f"{address(self.endpoint)} is a Sentinel: name the server that it watches; "
                "`SENTINEL masters` says where that is"
            )

    def close(self) -> None:
        """Close the connection."""
        self.asker.control.close()

    def begin(self) -> None:
        """Take what is true at the beginning."""
        self._histograms = self._latency()
        self._settings = dict(self._config())
        self._count_from_now()
        if self._open <= LISTED_TWICE:
            self._list()
        elif self.client_list:
            self.tell(SLOW_LIST.format(self._open, self._open * LISTED_US / 1e3))

    def _count_from_now(self) -> None:
        self.first, self.began_s = self._info("all"), self.clock()
        self._before, self._reads_before = Counter(self.asker.sent), self.asker.sends
        self._last_look = self.began_s, self.first

    def ping(self) -> None:
        """Measure a round trip, and look at what a look a second does not show."""
        began_s = self.clock()
        if self.asker.ask("PING") is not None:
            self._round_trips_s.append(self.clock() - began_s)
        self._glimpses.take(self._open)

    def look(self) -> WatchProgress:
        """Take what is seen in between."""
        now, info = self.clock(), self._info("stats")
        if _int(info, RECEIVED) < _int(self._last_look[1], RECEIVED):
            self._begin_again()
            now, info = self.began_s, self.first
        if self._open <= LISTED_ALWAYS:
            self._list()
        (before_s, before), self._last_look = self._last_look, (now, info)
        elapsed = max(now - before_s, 1e-9)
        self._glimpses.decide(before, info, elapsed)
        names = ("total_commands_processed", RECEIVED)
        commands, opened = ((_int(info, name) - _int(before, name)) / elapsed for name in names)
        is_listed = self._open <= LISTED_ALWAYS and "CLIENT LIST" not in self.asker.refused
        return WatchProgress(now - self.began_s, commands, opened, self.connections.open if is_listed else None)

    def _begin_again(self) -> None:
        """Count from now on: somebody has set the counters back (CONFIG RESETSTAT)."""
        self.resets += 1
        self._histograms = self._latency()
        self._count_from_now()

    def end(self, options: WatchOptions) -> NodeSnapshot:
        """Take what is true at the end, and return all of it."""
        self._list()
        own, own_reads = self.asker.sent - self._before, self.asker.sends - self._reads_before
        last, seconds = self._info("all"), self.clock() - self.began_s
        if last.get("run_id") != self.first.get("run_id"):
            raise ServerLostError(restarted(self.endpoint, seconds))
        now_s = _int(last, "server_time_usec") // 1_000_000 or int(time.time())
        slow = slow_calls(self.asker, now_s, self.connections, self.own_address)
        later = histograms_between(self._histograms, self._latency())
        events = latency_events(self.asker, now_s)
        keys = sample(self.asker, options.keys, shows_names=options.shows_keys) if options.keys else None
        # Last, because it slows the server down.
        monitor = monitored(self.asker, options.seconds, self.connections) if options.monitor else None
        return NodeSnapshot(
            address=address(self.endpoint),
            seconds=seconds,
            first=self.first,
            last=last,
            own=as_counted({**own, "INFO": own["INFO"] + 1}, last),
            own_reads=own_reads + 1,
            clients=self.connections.groups(),
            slow=slow,
            events=events,
            latency=later,
            alone=self._glimpses.alone,
            settings=self._settings,
            round_trips=self._round_trips(),
            looks=self.connections.looks,
            resets=self.resets,
            failed_nodes=failed_nodes(self.asker) if self.sees_cluster else (),
            failed_slots=failed_slots(self.asker) if self.sees_cluster else 0,
            keys=keys,
            monitor=monitor,
            refused=tuple(self._refused()),
            left_out=() if self.client_list else ("CLIENT LIST",),
        )

    def fail(self, error: ServerError) -> str:
        """Return, in one sentence, what became of a server that does not answer any more."""
        seconds = self.clock() - self.began_s if self.began_s else 0.0
        return what_became_of(self.endpoint, self.first.get("run_id"), seconds, error)

    def _round_trips(self) -> RoundTrips | None:
        if not (found := self._round_trips_s):
            return None
        return RoundTrips(
            count=len(found),
            median_ms=1e3 * median(found),
            longest_ms=1e3 * max(found),
            own_delay_ms=1e3 * self.own_delay_s,
        )

    @property
    def _open(self) -> int:
        return _int(self.first, "connected_clients")

    def _info(self, section: str) -> dict[str, str]:
        answer = self.asker.ask("INFO", section)
        if answer is None:
            raise ServerError(f"the server at {address(self.endpoint)} refuses INFO: {self.asker.refused['INFO'].said}")
        return kept(text(answer))

    def _list(self) -> None:
        if self.client_list and (answer := self.asker.ask("CLIENT", "LIST")) is not None:
            self.connections.see(parse_clients(answer, self.own_address))

    def _latency(self) -> Histograms:
        version = self.first.get("redis_version", "").partition(".")[0]
        return histograms(self.asker) if version.isdecimal() and int(version) >= SINCE_HISTOGRAMS else {}

    def _config(self) -> Iterator[tuple[str, str]]:
        for setting in SETTINGS:
            name, *value = self.asker.ask("CONFIG", "GET", setting) or ("",)
            if value:
                yield text(name), text(value[0])

    def _refused(self) -> Iterator[Refusal]:
        yield from (one for name, one in self.asker.refused.items() if name not in MISSED_LITTLE)
        if self._settings.get("slowlog-log-slower-than", "0").startswith("-"):
            yield Refusal(command="SLOWLOG GET", said="the slow log is off (slowlog-log-slower-than)")


def _int(info: dict[str, str], name: str) -> int:
    value = info.get(name, "0")
    return int(value) if value.isdecimal() else 0
