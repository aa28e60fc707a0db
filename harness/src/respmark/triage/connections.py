"""Signals of connections: how many come and go, what they are used for, and what the busiest of them sends."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from respmark.servers.info import NO_CALLS
from respmark.triage.counters import Counters
from respmark.triage.snapshot import ClientGroup, Who

KNOWN: Final = {
    "connections_per_s": "connections that were opened, without respmark's own",
    "connections_closed_per_s": "connections that were closed",
    "commands_per_connection": (
        "commands per connection that was opened; where the server counts them by connection (Redis 8, Valkey 8.1), "
        "without those of connections that were open all the time; else, if that is less, estimated from how often new "
        "connections were seen while they were being set up"
    ),
    "commands_per_connection_per_s": (
        "of the busiest connection, where the server counts them; else of the one that had sent the same command last "
        "whenever it was looked at: calls of that command, divided by the connections that sent it; else the mean of "
        "the connections that are not idle"
    ),
    "commonest_command_percent": (
        "share of the most frequent command among all commands; of a connection that is known: how often it had sent "
        "the same last, if that many were sent. Commands that cannot be sent together (SCAN, BLPOP, ...) do not count"
    ),
    "commands_per_read": (
        "commands per read of a socket: 1 if no client pipelines; of the busiest connection's command, by moments in "
        "which no other command was called, if there were any"
    ),
    "selects_per_s": "SELECTs beyond one per connection that was opened",
    "select_percent": "their share of all commands",
    "auths_per_s": "AUTHs beyond one per connection that was opened",
    "auth_percent": "their share of all commands",
    "failed_auths_per_s": "AUTHs that failed",
    "maxclients_percent": "open connections as a share of `maxclients`",
    "maxclients_suggested": "half as many again as `maxclients`, in any case twice the open connections",
}
SET_UP_COMMANDS: Final = 5
"""Libraries send up to so many when they connect."""
ENOUGH_LOOKS: Final = 20
"""At a connection, to say that it always sends the same: one of every five other commands would be seen by then."""
ENOUGH_GLIMPSES: Final = 5
ENOUGH_ALONE: Final = 20
"""Calls of a command that was the only one for moments."""
HALF_AS_MANY_AGAIN: Final = 1.5
CHAINED: Final = frozenset(
    {
        *("scan", "hscan", "sscan", "zscan", "xread", "xreadgroup", "blpop", "brpop", "blmove", "brpoplpush", "blmpop"),
        *("bzpopmin", "bzpopmax", "bzmpop", "wait"),
    }
)
"""Commands that cannot be sent together, because they wait, or because the next needs the reply."""
SHARE_OF_BUSIEST: Final = 0.5
"""A connection that sends less than that of what the busiest does is not what a rate is about."""


def connections(counters: Counters) -> dict[str, float]:
    """Return the signals."""
    commands, s = counters.commands, counters.seconds
    opened = max(0.0, counters.changed("total_connections_received"))
    selects, auths = (max(0.0, counters.called(name) - opened) for name in ("select", "auth"))
    one = busiest(counters)
    return {
        "connections_per_s": opened / s,
        "connections_closed_per_s": max(0.0, opened - counters.changed("connected_clients")) / s,
        "commands_per_connection": _each(counters, opened),
        "commands_per_connection_per_s": one.calls / s,
        "commonest_command_percent": one.same_percent,
        "commands_per_read": one.per_read,
        "selects_per_s": selects / s,
        "select_percent": 100 * selects / max(commands, 1),
        "auths_per_s": auths / s,
        "auth_percent": 100 * auths / max(commands, 1),
        "failed_auths_per_s": counters.calls.get("auth", NO_CALLS).unsuccessful / s,
        **_limit(counters),
    }


def _each(counters: Counters, opened: float) -> float:
    """Return the commands of each new connection, as far as they can be told from those of others."""
    clients = counters.node.clients
    kept = sum(group.kept_calls or 0 for group in clients)
    found = max(0, counters.commands - kept) / max(opened, 1.0)
    glimpses, in_set_up = sum(group.glimpses for group in clients), sum(group.in_set_up for group in clients)
    if any(group.calls is not None for group in clients) or glimpses < ENOUGH_GLIMPSES or not in_set_up:
        return found
    return min(found, SET_UP_COMMANDS * glimpses / in_set_up)


def _limit(counters: Counters) -> dict[str, float]:
    most = counters.now("maxclients") or float(counters.node.settings.get("maxclients", 0))
    if not most:
        return {}
    open_now = counters.now("connected_clients", 1.0) - 1
    return {
        "maxclients_percent": 100 * open_now / most,
        "maxclients_suggested": max(math.ceil(HALF_AS_MANY_AGAIN * most), 2 * open_now),
    }


@dataclass(frozen=True)
class Busiest:
    """The connection for whose commands the server reads most often, as far as that can be seen."""

    calls: float
    same_percent: float
    """Share of the command that it sends most often."""
    per_read: float
    """Commands for each time that the server reads."""
    who: tuple[Who, ...] = ()
    """Whose it is, and others that do the same."""

    @property
    def reads(self) -> float:
        """Return how often the server reads for its commonest command."""
        return self.calls * self.same_percent / 100 / max(self.per_read, 1.0)


def busiest(counters: Counters) -> Busiest:
    """Return it; where no connection is known, the mean of those that are not idle."""
    found = [*_counted(counters)] or ([] if _is_replica(counters) else [*_dedicated(counters)])
    return max(found, key=lambda one: one.reads, default=_mean(counters))


def _is_replica(counters: Counters) -> bool:
    """Return whether most commands may be the primary's: only what is counted by connection says anything then."""
    return counters.node.last.get("role") == "slave"


def _counted(counters: Counters) -> Iterator[Busiest]:
    """Yield each client's busiest connection, where the server counts commands by connection."""
    groups = [
        group
        for group in counters.node.clients
        if group.busiest_calls is not None and group.busiest_command not in CHAINED
    ]
    for group in groups:
        calls = group.busiest_calls or 0
        alike = [
            other
            for other in groups
            if other.busiest_command == group.busiest_command and (other.busiest_calls or 0) > SHARE_OF_BUSIEST * calls
        ]
        who = tuple(one.who for one in sorted(alike, key=lambda one: -(one.busiest_calls or 0)))
        yield Busiest(calls, _same_percent(counters, group), _per_read(counters, group.busiest_command), who)


def _same_percent(counters: Counters, group: ClientGroup) -> float:
    calls = group.busiest_calls or 0
    if not calls or group.busiest_looks < ENOUGH_LOOKS:
        return _commonest_percent(counters)
    sent = min(1.0, counters.called(group.busiest_command) / calls)
    return 100 * min(sent, group.busiest_same / group.busiest_looks)


def _commonest_percent(counters: Counters) -> float:
    commonest = max((one.calls for name, one in counters.calls.items() if name not in CHAINED), default=0)
    return 100 * commonest / max(counters.commands, 1)


def _dedicated(counters: Counters) -> Iterator[Busiest]:
    """Yield connections by the command that they had sent last at most looks.

    Its calls are shared out among all connections that sent it: who sends little else sends more than that.
    """
    looked_at = [one for one in counters.node.clients if one.active and one.busiest_looks >= ENOUGH_LOOKS]
    # What a connection sent last before a pause is seen most often; shares of all cannot be above that of the server.
    limit = 100.0 if len({one.busiest_command for one in looked_at}) > 1 else _commonest_percent(counters)
    for group in looked_at:
        command = group.busiest_command
        if command not in CHAINED:
            senders = sum(one.commands.get(command, 0) for one in counters.node.clients)
            calls = counters.called(command) / max(senders, 1)
            same = min(limit, 100 * group.busiest_same / group.busiest_looks)
            yield Busiest(calls, same, _per_read(counters, command), (group.who,))


def _mean(counters: Counters) -> Busiest:
    groups = counters.node.clients
    active = sum(group.active for group in groups) or counters.now("connected_clients", 2.0) - 1
    calls = 0.0 if _is_replica(counters) else counters.commands / max(active, 1)
    return Busiest(
        calls, _commonest_percent(counters), _per_read(counters, ""), tuple(one.who for one in groups if one.active)
    )


def _per_read(counters: Counters, command: str) -> float:
    """Return the commands for each read; of one command, if it was alone often enough to tell."""
    reads = counters.changed("total_reads_processed") - counters.node.own_reads
    of_all = counters.commands / max(reads, 1.0)
    alone = counters.node.alone.get(command)
    if alone is None or alone.calls < ENOUGH_ALONE:
        return of_all
    return min(of_all, alone.calls / max(alone.reads, 1))
