"""Watches a server, or every node of a cluster, and returns what was seen: above all INFO at both ends.

All that is sent only reads (`asking.READS`). What costs the server more than a moment is adapted to its size: CLIENT
LIST is asked for at every look only where few are connected.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Final, TypeVar

import redis.exceptions

from respmark import __version__
from respmark.contract.trial import Endpoint
from respmark.errors import TargetError, TargetLostError
from respmark.redaction import redacted
from respmark.servers import control
from respmark.servers.control import Control
from respmark.servers.info import parse_info
from respmark.servers.url import address
from respmark.triage.asking import NAME, Asker
from respmark.triage.clients import Connections, parse_clients
from respmark.triage.cluster import failed_nodes, failed_slots, other_nodes
from respmark.triage.keys import sample
from respmark.triage.logs import Histograms, histograms, histograms_between, latency_events, slow_calls, text
from respmark.triage.monitor import monitored
from respmark.triage.snapshot import NodeSnapshot, Refusal, RoundTrips, ServerSnapshot

Taken = TypeVar("Taken")

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
LOOK_S: Final = 1.0
PINGS: Final = 10
"""How many PINGs are sent for each look."""
LOOKS: Final = 4
"""How often somebody looks at least."""
ERROR_CODE: Final = re.compile(r"errorstat_[A-Z][A-Z0-9_]{0,31}")
"""A field of INFO for an error; a script may begin its own errors with any word, which is left out."""
COUNTER: Final = re.compile(r"[a-z][a-z0-9_|-]*|-?[\d.]+[%KMGTB]?|[a-z_]+=-?[\d.]+(?:,[a-z_]+=-?[\d.]+)*")
"""A name of a counter, or what it says."""
LEFT_OUT: Final = frozenset({"config_file", "executable"})
"""Fields of INFO that say more about the machine than anybody needs."""
RECEIVED: Final = "total_connections_received"
"""A counter that only CONFIG RESETSTAT sets back, besides a restart."""
MISSED_LITTLE: Final = frozenset({"PING", "CLUSTER INFO"})
"""What may be refused without a word about it."""
SETTINGS: Final = ("maxclients", "slowlog-log-slower-than")
SINCE_HISTOGRAMS: Final = 7
"""The first major version with LATENCY HISTOGRAM."""


@dataclass(frozen=True)
class Wanted:
    """What is to be watched, and for how long."""

    seconds: float
    keys: int = 0
    """How many keys are sampled at most."""
    monitor: bool = False
    shows_keys: bool = False
    client_list: bool = True
    """Whether CLIENT LIST is asked for at all."""


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
    _settings: dict[str, str] = field(init=False)
    _histograms: Histograms = field(init=False)
    _before: Counter[str] = field(init=False)
    _last_look: tuple[float, dict[str, str]] = field(init=False)

    def open(self) -> None:
        """Connect, and take what the server says about itself; raises TargetError."""
        control = Control(self.endpoint)
        try:
            control.open("INFO", "server")
        except TargetError as error:
            if timed_out(error) and self.endpoint.tls is None:
                raise TargetError(_silent(self.endpoint, "accepts connections, but")) from error
            raise
        self.asker = Asker(control)
        self.own_address = control.local_address
        self.asker.ask("CLIENT", "SETNAME", NAME)
        self.asker.refused.pop("CLIENT SETNAME", None)  # its address serves as well
        self.first = {**self._info("server"), **self._info("cluster")}
        if self.first.get("redis_mode") == "sentinel":
            raise TargetError(
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
        self.first = self._info("all")
        self.began_s = self.clock()
        self._before = Counter(self.asker.sent)
        if self._open <= LISTED_TWICE:
            self._list()
        elif self.client_list:
            self.tell(SLOW_LIST.format(self._open, self._open * LISTED_US / 1e3))
        self._last_look = self.began_s, self.first

    def ping(self) -> None:
        """Measure a round trip."""
        began_s = self.clock()
        if self.asker.ask("PING") is not None:
            self._round_trips_s.append(self.clock() - began_s)

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
        names = ("total_commands_processed", RECEIVED)
        commands, opened = ((_int(info, name) - _int(before, name)) / elapsed for name in names)
        is_listed = self._open <= LISTED_ALWAYS and "CLIENT LIST" not in self.asker.refused
        return WatchProgress(now - self.began_s, commands, opened, self.connections.open if is_listed else None)

    def _begin_again(self) -> None:
        """Count from now on: somebody has set the counters back (CONFIG RESETSTAT)."""
        self.resets += 1
        self._histograms = self._latency()
        self.first, self.began_s = self._info("all"), self.clock()
        self._before = Counter(self.asker.sent)
        self._last_look = self.began_s, self.first

    def end(self, wanted: Wanted) -> NodeSnapshot:
        """Take what is true at the end, and return all of it."""
        self._list()
        own = self.asker.sent - self._before
        last, seconds = self._info("all"), self.clock() - self.began_s
        if last.get("run_id") != self.first.get("run_id"):
            raise TargetLostError(_restarted(self.endpoint, seconds))
        now_s = _int(last, "server_time_usec") // 1_000_000 or int(time.time())
        slow = slow_calls(self.asker, now_s, self.connections, self.own_address)
        later = histograms_between(self._histograms, self._latency())
        events = latency_events(self.asker, now_s)
        keys = sample(self.asker, wanted.keys, shows_names=wanted.shows_keys) if wanted.keys else None
        # Last, because it slows the server down.
        monitor = monitored(self.asker, wanted.seconds, self.connections) if wanted.monitor else None
        return NodeSnapshot(
            address=address(self.endpoint),
            seconds=seconds,
            first=self.first,
            last=last,
            own=_as_counted({**own, "INFO": own["INFO"] + 1}, last),
            clients=self.connections.groups(),
            slow=slow,
            events=events,
            latency=later,
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

    def fail(self, error: TargetError) -> str:
        """Return, in one sentence, what became of a server that does not answer any more."""
        seconds = self.clock() - self.began_s if self.began_s else 0.0
        if timed_out(error):
            answered_s = max(0.0, seconds - control.TIMEOUT_S)
            return _silent(self.endpoint, f"stopped answering {answered_s:.0f} s after the watch began:")
        if not isinstance(error, TargetLostError) or error.__cause__ is None:
            return str(error)
        return _what_became_of(self.endpoint, self.first.get("run_id"), seconds)

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
            raise TargetError(f"the target at {address(self.endpoint)} refuses INFO: {self.asker.refused['INFO'].said}")
        fields = parse_info(text(answer))
        return {_without_secrets(name): _without_secrets(value) for name, value in fields.items() if _is_kept(name)}

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


def watch(
    endpoint: Endpoint,
    wanted: Wanted,
    show: Callable[[WatchProgress], object] = lambda _: None,
    sleep: Callable[[float], object] = time.sleep,
    tell: Callable[[str], object] = lambda _: None,
) -> ServerSnapshot:
    """Watch a server, and the other nodes of its cluster; `show` gets what is seen of it meanwhile.

    Raises TargetError, with one sentence, if it cannot be reached or does not answer any more. Other nodes that fail
    are in the snapshot with that sentence.
    """
    # A user who may only watch may not select; only keys are of a database.
    asked = endpoint if wanted.keys else endpoint.model_copy(update={"database": 0})
    made = partial(NodeWatch, client_list=wanted.client_list, tell=tell)
    first = made(asked)
    first.open()
    with _all_closed([first]) as nodes:
        nodes += [made(one) for one in other_nodes(first.asker, first.first)]
        for node in nodes[1:]:
            _unless_lost(node, node.open)
        for node in nodes:
            _unless_lost(node, node.begin)
        first.sees_cluster = first.first.get("cluster_enabled") == "1"
        for is_look, late_s in _moments(wanted.seconds, sleep):
            if all(node.lost for node in nodes):
                break
            for node in nodes:
                node.own_delay_s = max(node.own_delay_s, late_s)
                _unless_lost(node, node.ping)
                if is_look and (look := _unless_lost(node, node.look)) and node is first:
                    show(look)
        taken = [_unless_lost(node, partial(node.end, wanted)) or _gone(node) for node in nodes]
    if all(one.lost for one in taken):
        raise TargetLostError(taken[0].lost or "")
    return ServerSnapshot(
        respmark_version=__version__, taken_at=datetime.now(UTC), seconds=wanted.seconds, nodes=tuple(taken)
    )


@contextmanager
def _all_closed(nodes: list[NodeWatch]) -> Iterator[list[NodeWatch]]:
    try:
        yield nodes
    finally:
        for node in nodes:
            if hasattr(node, "asker"):
                node.close()


def _moments(seconds: float, sleep: Callable[[float], object]) -> Iterator[tuple[bool, float]]:
    """Yield at every moment of a PING whether somebody looks, too, and how late it is; the last is the watch's end."""
    pings = PINGS * max(LOOKS, round(seconds / LOOK_S))
    for number in range(1, pings + 1):
        began_s = time.monotonic()
        sleep(seconds / pings)
        yield number % PINGS == 0, max(0.0, time.monotonic() - began_s - seconds / pings)


def _unless_lost(node: NodeWatch, step: Callable[[], Taken]) -> Taken | None:
    """Return what a step returns; None if the server is lost, now or before."""
    if node.lost:
        return None
    try:
        return step()
    except TargetError as error:
        node.lost = node.fail(error)
        return None


def _gone(node: NodeWatch) -> NodeSnapshot:
    return NodeSnapshot(
        address=address(node.endpoint),
        seconds=0,
        first=node.first,
        last={},
        reached=hasattr(node, "asker"),
        lost=node.lost,
    )


def timed_out(error: BaseException | None) -> bool:
    """Return whether an error is that no answer came in time."""
    while error is not None:
        if isinstance(error, redis.exceptions.TimeoutError | TimeoutError):
            return True
        error = error.__cause__
    return False


def _silent(endpoint: Endpoint, how: str) -> str:
    return (
        f"the server at {address(endpoint)} {how} it has not answered for {control.TIMEOUT_S:g} s: it is stopped, "
        "blocked by a long command, or its machine is overloaded"
    )


def _restarted(endpoint: Endpoint, seconds: float) -> str:
    return (
        f"the server at {address(endpoint)} was restarted within {seconds:.0f} s of the watch, and counts from 0 "
        "again: run triage again"
    )


def _what_became_of(endpoint: Endpoint, run_id: str | None, seconds: float) -> str:
    """Return what became of a server that closed our connection: asked once more, it may have been restarted."""
    try:
        with closing(Control(endpoint).open("INFO", "server")) as again:
            now = parse_info(text(again.command("INFO", "server"))).get("run_id")
    except TargetError:
        where = f"the server at {address(endpoint)}"
        return f"{where} ended, or cannot be reached any more, {seconds:.0f} s after the watch began"
    if now != run_id:
        return _restarted(endpoint, seconds)
    return (
        f"the server at {address(endpoint)} closed respmark's connection {seconds:.0f} s after the watch began (CLIENT "
        "KILL, or its `timeout`): run triage again"
    )


def _without_secrets(text: str) -> str:
    """Return a name or value of INFO without passwords; counters are none, even where a password is a digit."""
    return text if COUNTER.fullmatch(text) else redacted(text)


def _is_kept(name: str) -> bool:
    return name not in LEFT_OUT and (not name.startswith("errorstat_") or ERROR_CODE.fullmatch(name) is not None)


def _as_counted(sent: dict[str, int], info: dict[str, str]) -> dict[str, int]:
    """Return commands by the names that INFO counts them under; before Redis 7.0, all of a container are one."""
    found: Counter[str] = Counter()
    for name, count in sent.items():
        whole = name.lower().replace(" ", "|")
        found[whole if f"cmdstat_{whole}" in info else whole.partition("|")[0]] += count
    return dict(found)


def _int(info: dict[str, str], name: str) -> int:
    value = info.get(name, "0")
    return int(value) if value.isdecimal() else 0
