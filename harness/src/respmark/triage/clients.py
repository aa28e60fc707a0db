"""Who is connected: CLIENT LIST at several moments, as groups of connections that belong together."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from respmark.servers.info import clients_of
from respmark.triage.asking import NAME
from respmark.triage.snapshot import ClientGroup, Who

SUBSCRIPTIONS: Final = ("sub", "psub", "ssub")
ACTIVE_S: Final = 1
"""A connection that sent something no longer ago than that, in seconds, is active."""
IDLE_S: Final = 60
"""A connection that sent nothing for that long is idle."""
WAITING: Final = frozenset("bPO")
"""Flags of connections that wait for something: a blocking command, messages, MONITOR."""
REPLICATION: Final = frozenset("SM")
"""Flags of connections to replicas and from the primary."""
SET_UP: Final = frozenset(
    {"", "auth", "hello", "select", "client", "client|setinfo", "client|setname", "client|maint_notifications"}
)
"""What a connection has sent last before its first command of use; empty: nothing."""
Fields = dict[str, str]


def parse_clients(answer: object, own_address: str = "") -> list[Fields]:
    """Return the fields of connections in a reply to CLIENT LIST, without respmark's own and those of replication."""
    return [
        one
        for one in clients_of(answer).clients
        if not _is_own(one, own_address) and not REPLICATION & set(one.get("flags", ""))
    ]


def _is_own(one: Fields, own_address: str) -> bool:
    return one.get("name") == NAME or (own_address != "" and one.get("addr") == own_address)


def who_of(one: Fields, *, with_port: bool = False) -> Who:
    """Return whose connection it is."""
    address = one.get("addr", "")
    host = address if with_port or address.startswith("/") else address.rpartition(":")[0]
    return Who(
        address=host or "unix socket",
        name=one.get("name", ""),
        library=one.get("lib-name", ""),
        version=one.get("lib-ver", ""),
        user=one.get("user", ""),
    )


@dataclass
class _Connection:
    """What was seen of one connection."""

    first: Fields
    last: Fields
    first_look: int
    seen: Counter[str] = field(default_factory=Counter)
    """How often each was its last command, at looks and samples."""
    glimpsed: Counter[str] = field(default_factory=Counter)
    """The same of a new connection, several times in a row; empty: none yet."""
    outputs: list[int] = field(default_factory=list)
    """Bytes of held replies at the last three looks."""

    def see(self, fields: Fields) -> None:
        """Take what is seen of it now."""
        self.last = fields
        self.sample(fields)
        self.outputs = [*self.outputs[-2:], number(fields, "omem")]

    def sample(self, fields: Fields) -> None:
        """Take the command that it had sent last at any moment."""
        if command := _command(fields):
            self.seen[command] += 1

    def glimpse(self, fields: Fields) -> None:
        """Take what is seen of it between two looks."""
        self.last = fields
        self.glimpsed[_command(fields)] += 1

    @property
    def commands(self) -> frozenset[str]:
        """Return what it had sent last, whenever it was seen."""
        return frozenset(filter(None, [*self.seen, *self.glimpsed]))

    @property
    def is_new(self) -> bool:
        """Return whether it was opened during the watch."""
        return self.first_look > 0

    @property
    def is_active(self) -> bool:
        """Return whether it has just sent something."""
        return number(self.last, "idle") <= ACTIVE_S

    @property
    def is_idle(self) -> bool:
        """Return whether it did nothing for a minute, and waits for nothing."""
        return number(self.last, "idle") >= IDLE_S and not WAITING & set(self.last.get("flags", ""))

    @property
    def is_subscriber(self) -> bool:
        """Return whether it has subscribed to anything."""
        return any(number(self.last, name) for name in SUBSCRIPTIONS)

    @property
    def same(self) -> int:
        """Return at how many looks it had sent the same command last."""
        return max(self.seen.values(), default=0)

    @property
    def calls(self) -> int | None:
        """Return its commands since it was first seen; None: not counted."""
        return self._since("tot-cmds")

    @property
    def sent_bytes(self) -> int | None:
        """Return what the server sent to it since; None: not counted."""
        return self._since("tot-net-out")

    def _since(self, name: str) -> int | None:
        if name not in self.last:
            return None
        before = 0 if self.is_new else number(self.first, name)
        return max(0, number(self.last, name) - before)


def number(fields: Fields, name: str) -> int:
    """Return a whole number; 0 if it is missing, or is none."""
    text = fields.get(name, "0").removeprefix("-")
    return int(text) if text.isdecimal() else 0


def _command(fields: Fields) -> str:
    """Return the command that a connection sent last, in lower case; empty: none yet."""
    return fields.get("cmd", "NULL").lower().replace("null", "")


class Connections:
    """The connections of a server, whenever somebody looks."""

    def __init__(self) -> None:
        self._known: dict[str, _Connection] = {}
        self._open: frozenset[str] = frozenset()
        self._addresses: dict[str, Who] = {}
        self.looks = 0
        self.glimpsed = 0
        """New connections that were seen between looks."""

    def see(self, rows: Sequence[Fields]) -> None:
        """Take the connections that are open now."""
        for one in rows:
            self._of(one).see(one)
        self._open = frozenset(one["id"] for one in rows)
        self.looks += 1

    def sample(self, rows: Sequence[Fields]) -> None:
        """Take what known connections have sent last, between two looks."""
        for one in rows:
            if one["id"] in self._known:
                self._known[one["id"]].sample(one)

    def glimpse(self, rows: Sequence[Fields]) -> None:
        """Take the new ones of the connections that are open between two looks: many are closed before the next."""
        before = len(self._known)
        for one in rows:
            if (known := self._of(one)).is_new:
                known.glimpse(one)
        self.glimpsed += len(self._known) - before

    def _of(self, fields: Fields) -> _Connection:
        """Return what is known of a connection."""
        if fields["id"] not in self._known:
            self._known[fields["id"]] = _Connection(fields, fields, self.looks)
            self._addresses[fields.get("addr", "")] = who_of(fields, with_port=True)
        return self._known[fields["id"]]

    @property
    def open(self) -> int:
        """Return how many were open when somebody looked last."""
        return len(self._open)

    def at(self, address: str, name: str = "") -> Who:
        """Return whose connection an address is, or was."""
        return self._addresses.get(address) or Who(address=address or "unknown", name=name)

    def groups(self) -> tuple[ClientGroup, ...]:
        """Return them in groups, those with most connections first."""
        found: defaultdict[tuple[Who, bool], list[tuple[str, _Connection]]] = defaultdict(list)
        for number_, one in self._known.items():
            found[who_of(one.last), one.is_subscriber].append((number_, one))
        groups = (self._group(who, members) for (who, _), members in found.items())
        return tuple(sorted(groups, key=lambda one: (-one.connections, -one.opened, one.who.words)))

    def _group(self, who: Who, members: Sequence[tuple[str, _Connection]]) -> ClientGroup:
        still = [one for key, one in members if key in self._open]
        calls = [one.calls for _, one in members]
        counted = [count for count in calls if count is not None]
        new = [one for one in still if one.is_new]
        busiest = max((one for _, one in members), key=lambda one: (one.calls or 0, one.is_active, one.same))
        command, same = next(iter(busiest.seen.most_common(1)), ("", 0))
        glimpsed = sum((one.glimpsed for _, one in members), Counter[str]())
        kept = [one.calls for one in still if not one.is_new and one.calls is not None]
        return ClientGroup(
            who=who if len(members) > 1 else who_of(members[0][1].last, with_port=True),
            connections=len(still),
            opened=sum(one.is_new for _, one in members),
            subscribed=sum(_sum(still, name) for name in SUBSCRIPTIONS),
            commands=dict(Counter(command for _, one in members for command in one.commands)),
            glimpses=glimpsed.total(),
            in_set_up=sum(times for command, times in glimpsed.items() if command in SET_UP),
            output_bytes=max((min(one.outputs) for one in still), default=0),
            active=sum(one.is_active for one in still),
            monitoring=sum("O" in one.last.get("flags", "") for one in still),
            grown=max(0, len(new) - (len(members) - len(still))),
            growths=len({one.first_look for one in new}),
            idle_new=sum(not one.is_active for one in new),
            idle_minute=sum(one.is_idle for one in still),
            calls=sum(counted) if counted else None,
            busiest_calls=max(counted) if counted else None,
            busiest_command=command,
            busiest_looks=busiest.seen.total(),
            busiest_same=same,
            kept_calls=sum(kept) if counted else None,
            sent_bytes=sum(sent)
            if (sent := [one.sent_bytes for _, one in members if one.sent_bytes is not None])
            else None,
        )


def _sum(members: Iterable[_Connection], name: str) -> int:
    return sum(number(one.last, name) for one in members)
