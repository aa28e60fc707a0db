"""What rules look at besides the server: a row of signals for each command, client, error, event, node and key."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from respmark.servers.info import NO_CALLS, Calls, Info
from respmark.specs.triage import About
from respmark.triage.counters import Counters
from respmark.triage.snapshot import ClientGroup, NodeSnapshot, SampledKey, SlowCall, Who
from respmark.triage.suspects import senders_of
from respmark.triage.traffic import mean_reply_bytes, reply_bytes_of

KNOWN: Final[dict[About, dict[str, str]]] = {
    About.COMMAND: {
        "calls": "calls during the watch",
        "calls_per_s": "calls per second",
        "us_per_call": "mean time of a call",
        "server_percent": "share of the time that the server spent on it",
        "failed_per_s": "calls that failed or were refused",
        "long_ms_per_s": (
            "time of calls that took a millisecond or longer, of each second (LATENCY HISTOGRAM; before Redis 7: all "
            "calls, if their mean is as long)"
        ),
        "long_percent": "their share of the calls",
        "p99_us": "99th percentile of the calls' times during the watch (LATENCY HISTOGRAM)",
        "slow_calls": "entries in SLOWLOG within the last hour",
        "slow_percent": "the same as a share of all calls since the server started",
        "slowest_ms": "the longest call in SLOWLOG within the last hour",
        "slowest_age_s": "how long ago that was",
    },
    About.CLIENT: {
        "connections": "open connections",
        "opened": "connections seen that were opened during the watch",
        "subscriptions": "channels, patterns and shard channels",
        "output_bytes": "replies that the server holds for the slowest connection: the least of the last three samples",
        "replies_held": "the same in replies of mean size: this client's, or all clients' where it counts by none",
        "monitoring": "connections on which MONITOR is on",
        "grown": "how many more are open than at the beginning",
        "growths": "at how many samples there were new ones that are still open",
        "idle_new_percent": "share of the new ones that sent nothing for a second",
        "idle_minute": "open connections that sent nothing for a minute, and wait for nothing",
        "idle_minute_percent": "their share",
        "active": "open connections that sent something within the last second",
    },
    About.ERROR: {
        "errors": "error replies during the watch",
        "errors_per_s": "error replies per second",
    },
    About.EVENT: {
        "latest_ms": "the latest event of this kind",
        "longest_ms": "the longest one since the server started or LATENCY RESET",
        "age_s": "time since the latest one",
    },
    About.NODE: {
        "slots": "slots that are still its own",
    },
    About.HOT_KEY: {
        "hot_percent": "share of the commands that MONITOR saw",
        "hot_per_s": "commands per second",
    },
    About.KEY: {
        "size_bytes": "memory of the key (MEMORY USAGE)",
    },
}
SETUP: Final = ("auth", "hello", "select", "client", "client|setinfo", "client|setname", "client|no-evict")
"""What libraries send when they connect: some of it fails on older servers."""
INTRODUCTIONS: Final = 3
"""Commands with which libraries introduce themselves when they connect, and which a server may not know: CLIENT
SETINFO, twice, and CLIENT MAINT_NOTIFICATIONS."""
P99: Final = 0.99
LONG_US: Final = 1000
"""A call of a millisecond is a long one."""
BUCKET: Final = 1.01
"""The bucket of LATENCY HISTOGRAM that ends with a millisecond ends a little later."""
LONGEST_NAME: Final = 100
MOST_NAMED: Final = 3
OF_SCRIPTS: Final = "?:0"
"""Whom SLOWLOG names for commands that a script has sent."""
SCRIPTS: Final = ("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro", "exec")
"""Whoever sends these sends what is in them."""


@dataclass(frozen=True)
class SignalRow:
    """One thing that rules look at."""

    of: About
    name: str
    signals: Mapping[str, float]
    who: tuple[Who, ...] = ()
    """Whose doing it is, as far as the row itself knows."""
    detail: str = ""
    """What else is known of it, in words."""


def rows(of: About, counters: Counters) -> Iterator[SignalRow]:
    """Return the rows of a kind; the server's own row is not among them."""
    made = {
        About.COMMAND: _commands,
        About.CLIENT: _clients,
        About.ERROR: _errors,
        About.EVENT: _events,
        About.NODE: _nodes,
        About.HOT_KEY: _hot_keys,
        About.KEY: _keys,
    }
    return made[of](counters)


def _commands(counters: Counters) -> Iterator[SignalRow]:
    node, logged = counters.node, defaultdict[str, list[SlowCall]](list)
    for one in node.slow:
        logged[one.command].append(one)
    for name in dict.fromkeys([*counters.calls, *logged]):
        counted, slow = counters.calls.get(name, NO_CALLS), logged[name]
        logged_by = dict.fromkeys(one.who for one in slow if one.who.address != OF_SCRIPTS)
        who = tuple(dict.fromkeys([*logged_by, *senders_of([name], node)])) or senders_of(SCRIPTS, node)
        p99 = _percentile(node.latency.get(name, {}), P99)
        signals = {
            **_of_calls(counted, counters.seconds),
            **_of_log(slow, Info(node.last).calls.get(name, NO_CALLS)),
            **_long(node.latency.get(name), counted, counters.seconds),
            **({} if p99 is None else {"p99_us": p99}),
        }
        yield SignalRow(About.COMMAND, name, signals, who)


def _of_calls(counted: Calls, seconds: float) -> dict[str, float]:
    return {
        "calls": counted.calls,
        "calls_per_s": counted.calls / seconds,
        "us_per_call": counted.us / max(counted.calls, 1),
        "server_percent": 100 * counted.us / 1e6 / seconds,
        "failed_per_s": counted.unsuccessful / seconds,
    }


def _of_log(slow: Sequence[SlowCall], ever: Calls) -> dict[str, float]:
    longest = max(slow, key=lambda one: (one.us, one.age_s), default=None)
    return {
        "slow_calls": len(slow),
        "slow_percent": 100 * len(slow) / max(ever.calls, len(slow), 1),
        "slowest_ms": longest.us / 1e3 if longest else 0,
        "slowest_age_s": longest.age_s if longest else 0,
    }


def _long(buckets: Mapping[int, int] | None, counted: Calls, seconds: float) -> dict[str, float]:
    """Return what the calls of a millisecond or longer come to."""
    if buckets is None:
        is_long = counted.us >= LONG_US * max(counted.calls, 1)
        return {
            "long_ms_per_s": counted.us / 1e3 / seconds if is_long else 0.0,
            "long_percent": 100.0 if is_long else 0.0,
        }
    long = {limit: count for limit, count in buckets.items() if limit > LONG_US * BUCKET}
    # Their time is at most the buckets' limits, and at most what all calls took.
    us = min(sum(limit * count for limit, count in long.items()), counted.us)
    return {
        "long_ms_per_s": us / 1e3 / seconds,
        "long_percent": 100 * sum(long.values()) / max(sum(buckets.values()), 1),
    }


def _percentile(buckets: Mapping[int, int], share: float) -> int | None:
    """Return the bucket's limit below which this share of calls is; None without calls."""
    limits, counts = sorted(buckets), [count for _, count in sorted(buckets.items())]
    if not counts:
        return None
    wanted = share * sum(counts)
    return next(limit for limit, passed in zip(limits, accumulate(counts), strict=True) if passed >= wanted)


def _clients(counters: Counters) -> Iterator[SignalRow]:
    mean = mean_reply_bytes(counters)
    for group in counters.node.clients:
        yield SignalRow(About.CLIENT, group.who.words, _of_group(group, mean), (group.who,))


def _of_group(group: ClientGroup, mean: float) -> dict[str, float]:
    return {
        "connections": group.connections,
        "opened": group.opened,
        "subscriptions": group.subscribed,
        "output_bytes": group.output_bytes,
        "replies_held": group.output_bytes / max(reply_bytes_of(group) or mean, 1),
        "active": group.active,
        "monitoring": group.monitoring,
        "grown": group.grown,
        "growths": group.growths,
        "idle_new_percent": 100 * group.idle_new / max(group.grown, group.idle_new, 1),
        "idle_minute": group.idle_minute,
        "idle_minute_percent": 100 * group.idle_minute / max(group.connections, 1),
    }


def _errors(counters: Counters) -> Iterator[SignalRow]:
    node = counters.node
    first, last = (Info(info).errors for info in (node.first, node.last))
    of_setup = sum(counters.calls.get(name, NO_CALLS).unsuccessful for name in SETUP)
    introduced = INTRODUCTIONS * max(0.0, counters.changed("total_connections_received"))
    failing = [name for name, one in counters.calls.items() if one.unsuccessful > 0 and name not in SETUP]
    failing.sort(key=lambda name: -counters.calls[name].unsuccessful)
    for name, count in last.items():
        # What fails while libraries connect has the code ERR.
        errors = count - first.get(name, 0) - (of_setup + introduced if name == "ERR" else 0)
        if errors > 0:
            signals = {"errors": errors, "errors_per_s": errors / counters.seconds}
            yield SignalRow(About.ERROR, name, signals, senders_of(failing, node), _named(failing))


def _events(counters: Counters) -> Iterator[SignalRow]:
    for one in counters.node.events:
        signals = {"latest_ms": one.latest_ms, "longest_ms": one.longest_ms, "age_s": one.age_s}
        yield SignalRow(About.EVENT, one.event, signals)


def _nodes(counters: Counters) -> Iterator[SignalRow]:
    for one in counters.node.failed_nodes:
        yield SignalRow(About.NODE, one.address, {"slots": one.slots})


def _hot_keys(counters: Counters) -> Iterator[SignalRow]:
    if (monitor := counters.node.monitor) is None:
        return
    for one in monitor.hot:
        signals = {
            "hot_percent": 100 * one.commands / max(monitor.commands, 1),
            "hot_per_s": one.commands / max(monitor.seconds, 1e-9),
        }
        yield SignalRow(About.HOT_KEY, f"key {one.hash}", signals, one.who, _named(one.names))


def _keys(counters: Counters) -> Iterator[SignalRow]:
    for number, one in enumerate(_largest(counters.node), start=1):
        yield SignalRow(About.KEY, shortened(one.name or f"{one.kind} {number}"), {"size_bytes": one.size_bytes})


def _largest(node: NodeSnapshot) -> Sequence[SampledKey]:
    return node.keys.largest if node.keys else ()


def shortened(name: str) -> str:
    """Return a name that fits into a line: some keys have thousands of characters."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}... ({len(name):,} characters)"


def _named(commands: Sequence[str]) -> str:
    """Return commands in words, the first of them."""
    return f"in {', '.join(name.upper().replace('|', ' ') for name in commands[:MOST_NAMED])}" if commands else ""
