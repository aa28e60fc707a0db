"""Signals: what rules look at, as numbers with units in their names, computed from a snapshot.

The server is one row; every command, client, error, event and sampled key is a row, too. A rule about rows may name the
server's signals as well. Besides those that `KNOWN` lists, each number of INFO is a signal, `info.FIELD`, and so is its
change, `info.FIELD_per_s`.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final

from respmark.servers.info import NO_CALLS, Calls, Info, pairs_of
from respmark.specs.triage import INFO, About
from respmark.triage import health
from respmark.triage.snapshot import ClientGroup, MonitoredClient, NodeSnapshot, Who

KNOWN: Final[dict[About, dict[str, str]]] = {
    About.SERVER: {
        "commands_per_s": "commands of all clients, without respmark's own",
        "commands_per_read": "commands per read of a socket: 1 if no client pipelines",
        "input_bytes_per_command": "bytes that clients sent per command",
        "commands_per_connection": (
            "commands per connection that was opened; where the server counts them by connection, without those of "
            "connections that were open all the time"
        ),
        "commands_per_connection_per_s": (
            "of the busiest connection, where the server counts them (Redis 8, Valkey 8.1); else the mean of the "
            "connections that are not idle"
        ),
        "commonest_command_percent": (
            "share of the most frequent command among all commands; of the busiest connection, where the server counts "
            "them by connection: how often it had sent the same last, if that many were sent"
        ),
        "connections_per_s": "connections that were opened, without respmark's own",
        "connections_closed_per_s": "connections that were closed",
        "output_bytes_per_command": (
            "bytes that the server sent per command; where it counts them by connection, to the client that gets most"
        ),
        "round_trips": "respmark's own PINGs",
        "median_round_trip_ms": "half of them took at most so long",
        "longest_round_trip_ms": "the longest of them",
        "stood_still_ms": "the longest, without what respmark itself had to wait for a processor",
        "longest_round_trips": "the longest as a multiple of the median",
        "failed_slots": "slots of the cluster that no working node has",
        **health.KNOWN,
        "cpu_percent": "of one CPU: the main thread's where the server reports it, else the whole process's",
        "expires_per_s": "EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT",
        "expires_per_set": "the same per SET, without one for each write that takes no expiry (HSET, INCR, ...)",
        "selects_per_s": "SELECTs beyond one per connection that was opened",
        "select_percent": "their share of all commands",
        "auths_per_s": "AUTHs beyond one per connection that was opened",
        "auth_percent": "their share of all commands",
        "failed_auths_per_s": "AUTHs that failed",
        "pops_per_s": "LPOP, RPOP and other pops that do not block",
        "pops_per_push": "the same per LPUSH, RPUSH or other push",
        "empty_pops_per_s": "pops that changed nothing, by the changes that the server counts",
        "empty_pop_percent": "their share of all pops",
        "maxclients_percent": "open connections as a share of `maxclients`",
        "memory_percent": "used memory as a share of `maxmemory`; 0 if there is no limit",
        "memory_of_machine_percent": "used memory as a share of the machine's",
        "maxmemory_suggested_mb": (
            "half as much again as `maxmemory`, or three quarters of the machine's memory if there is none; missing if "
            "that is more than the machine has to spare, or not well above what is used"
        ),
        "maxclients_suggested": "half as many again as `maxclients`, in any case twice the open connections",
        "has_jemalloc": "1 if the allocator is jemalloc, else 0",
        "has_maxmemory": "1 if `maxmemory` is set, else 0",
        "evicts_only_expiring": "1 if `maxmemory-policy` evicts only keys that have an expiry, else 0",
        "keys": "keys in all databases",
        "keys_with_expiry": "keys in all databases that have an expiry",
        "without_expiry_percent": "share of keys without an expiry",
        "sampled_keys": "keys that `--keys` sampled",
        "monitored_s": "how long MONITOR ran",
        "monitored_set_then_expire": "SETs followed by an EXPIRE of the same key",
        "monitored_selects": "SELECTs that MONITOR saw",
        "monitored_repeated_pops": "pops from the same list as the connection's pop before",
        "monitored_longest_run": "longest series of one command on a connection, each time with another key",
    },
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
        "output_bytes": "replies that the server holds for the slowest connection: the less of the last two samples",
        "monitoring": "connections on which MONITOR is on",
        "grown": "how many more are open than at the beginning",
        "growths": "at how many looks there were new ones that are still open",
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
"""What each signal is, by what a row is about."""
EXPIRES: Final = ("expire", "pexpire", "expireat", "pexpireat")
POPS: Final = ("lpop", "rpop", "lmpop", "rpoplpush", "lmove")
PUSHES: Final = ("lpush", "rpush", "lpushx", "rpushx", "rpoplpush", "lmove", "brpoplpush", "blmove", "linsert")
SETUP: Final = ("auth", "hello", "select", "client", "client|setinfo", "client|setname", "client|no-evict")
"""What libraries send when they connect: some of it fails on older servers."""
MONITORED: Final = ("set_then_expire", "selects", "repeated_pops", "longest_run")
"""What MONITOR counts, as rules name it among their suspects."""
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
ENOUGH_LOOKS: Final = 4
SHARE_OF_BUSIEST: Final = 0.5
"""A connection that sends less than that of what the busiest does is not what a rate is about."""
SCRIPTS: Final = ("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro", "exec")
"""Whoever sends these sends what is in them."""
WITHOUT_EXPIRY: Final = (
    *("hset", "hmset", "hincrby", "incr", "incrby", "decr", "decrby", "incrbyfloat", "append", "setnx", "mset"),
    *("sadd", "zadd", "zincrby", "lpush", "rpush", "xadd", "pfadd", "setbit", "eval", "evalsha"),
)
"""Writes that an EXPIRE may follow, because they cannot set one themselves."""
CHANGING: Final = (
    *WITHOUT_EXPIRY,
    *("set", "setex", "psetex", "getset", "getdel", "del", "unlink", "srem", "zrem", "hdel", "ltrim", "lrem", "lset"),
    *("persist", "copy", "rename", "restore", "xack", "xreadgroup", "xdel", "xtrim", "spop", "zpopmin", "zpopmax"),
)
"""Commands that change data, besides pushes and pops."""
OF_MACHINE: Final = 0.75
"""The share of a machine's memory that a server may be given: a snapshot needs some, too."""
HALF_AS_MUCH_AGAIN: Final = 1.5
ABOVE_USED: Final = 1.1
"""A limit close to what is used would have writes refused, or keys evicted, at once."""


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


@dataclass(frozen=True, eq=False)
class Signals:
    """All rows of one server."""

    node: NodeSnapshot
    _rows: dict[About, list[SignalRow]] = field(default_factory=dict)

    @cached_property
    def server(self) -> SignalRow:
        """Return the server's own row."""
        return SignalRow(About.SERVER, self.node.address, {**self._of_info, **self._of_server, **self._of_monitor})

    def rows(self, of: About) -> list[SignalRow]:
        """Return the rows of a kind."""
        if of not in self._rows:
            self._rows[of] = list(self._made(of))
        return self._rows[of]

    def _made(self, of: About) -> Iterator[SignalRow]:
        made = {
            About.SERVER: lambda: iter([self.server]),
            About.COMMAND: self._commands,
            About.CLIENT: self._clients,
            About.ERROR: self._errors,
            About.EVENT: self._events,
            About.NODE: self._nodes,
            About.HOT_KEY: self._hot_keys,
            About.KEY: self._keys,
        }
        return made[of]()

    def suspects(self, words: Iterable[str]) -> tuple[Who, ...]:
        """Return the clients that these words are about (`RuleSpec.suspects`), the likeliest first."""
        wanted = tuple(words)
        monitored = [(how, one) for how in MONITORED if how in wanted for one in self._monitored if _count(one, how)]
        found = [one.who for how, one in sorted(monitored, key=lambda pair: -_count(pair[1], pair[0]))]
        found += [group.who for group in self.node.clients if "opening" in wanted and group.opened]
        found += [group.who for group in self.node.clients if set(wanted) & set(group.commands)]
        if "receiving" in wanted:
            most = max((group.sent_bytes or 0 for group in self.node.clients), default=0)
            found += [
                group.who for group in self.node.clients if (group.sent_bytes or 0) > SHARE_OF_BUSIEST * max(most, 1)
            ]
        if "busy" in wanted:
            least = SHARE_OF_BUSIEST * max((group.busiest_calls or 0 for group in self.node.clients), default=0)
            busy = [
                group
                for group in self.node.clients
                if (group.busiest_calls or 0) > least or (group.calls is None and group.active)
            ]
            found += [group.who for group in sorted(busy, key=lambda one: -(one.busiest_calls or 0))]
        return tuple(dict.fromkeys(found))

    @property
    def _seconds(self) -> float:
        return max(self.node.seconds, 1e-9)

    @cached_property
    def _of_info(self) -> dict[str, float]:
        """Return the numbers of INFO, and their changes."""
        first, last = (_numbers(info) for info in (self.node.first, self.node.last))
        now = {f"{INFO}{name}": value for name, value in last.items()}
        changes = {f"{INFO}{name}_per_s": (last[name] - first[name]) / self._seconds for name in last if name in first}
        return now | changes

    @cached_property
    def calls(self) -> dict[str, Calls]:
        """Return what every command was called, without respmark's own calls."""
        first, last = (Info(info).calls for info in (self.node.first, self.node.last))
        found = {name: count.since(first.get(name, NO_CALLS)) for name, count in last.items()}
        own = {
            name: found[name]._replace(calls=max(0, found[name].calls - n))
            for name, n in self.node.own.items()
            if name in found
        }
        return {name: count for name, count in (found | own).items() if count.sent > 0}

    def _called(self, *names: str) -> int:
        return sum(self.calls.get(name, NO_CALLS).calls for name in names)

    def _changed(self, name: str) -> float:
        return self._of_info.get(f"{INFO}{name}_per_s", 0.0) * self._seconds

    @cached_property
    def _of_server(self) -> dict[str, float]:
        return {
            **self._of_traffic,
            **self._of_connections,
            **self._of_memory,
            **self._of_keys,
            **self._of_round_trips,
            **health.health(self.node.last),
            "failed_slots": self.node.failed_slots,
        }

    @cached_property
    def _of_round_trips(self) -> dict[str, float]:
        found = self.node.round_trips
        if found is None:
            return {}
        return {
            "round_trips": found.count,
            "median_round_trip_ms": found.median_ms,
            "longest_round_trip_ms": found.longest_ms,
            "stood_still_ms": max(0.0, found.longest_ms - found.own_delay_ms),
            "longest_round_trips": found.longest_ms / max(found.median_ms, 1e-6),
        }

    @cached_property
    def _of_traffic(self) -> dict[str, float]:
        commands, s = sum(one.calls for one in self.calls.values()), self._seconds
        reads = self._changed("total_reads_processed") - sum(self.node.own.values())
        expires, pops, pushes = (self._called(*names) for names in (EXPIRES, POPS, PUSHES))
        cpu = "used_cpu_{}_main_thread" if "used_cpu_user_main_thread" in self.node.last else "used_cpu_{}"
        return {
            "commands_per_s": commands / s,
            "commands_per_read": commands / max(reads, 1.0),
            "input_bytes_per_command": self._changed("total_net_input_bytes") / max(commands, 1),
            "output_bytes_per_command": self._reply_bytes(commands),
            "commonest_command_percent": self._same_percent(commands),
            "cpu_percent": 100 * sum(self._changed(cpu.format(kind)) for kind in ("user", "sys")) / s,
            "expires_per_s": expires / s,
            "expires_per_set": max(0, expires - self._called(*WITHOUT_EXPIRY)) / max(self._called("set"), 1),
            **self._of_pops(pops),
            "pops_per_s": pops / s,
            "pops_per_push": pops / max(pushes, 1),
        }

    def _reply_bytes(self, commands: int) -> float:
        by_client = [
            group.sent_bytes / group.calls
            for group in self.node.clients
            if group.sent_bytes is not None and group.calls and not group.subscribed and not group.monitoring
        ]
        return max(by_client, default=self._changed("total_net_output_bytes") / max(commands, 1))

    def _same_percent(self, commands: int) -> float:
        """Return the share of the commonest command, of the busiest connection if there is such a thing."""
        commonest = max((one.calls for one in self.calls.values()), default=0)
        busiest = max(self.node.clients, key=lambda one: one.busiest_calls or 0, default=None)
        if busiest is None or not busiest.busiest_calls or busiest.busiest_looks < ENOUGH_LOOKS:
            return 100 * commonest / max(commands, 1)
        sent = min(1.0, self._called(busiest.busiest_command) / busiest.busiest_calls)
        return 100 * min(sent, busiest.busiest_same / busiest.busiest_looks)

    def _of_pops(self, pops: int) -> dict[str, float]:
        """Return how many pops changed nothing; empty if that is not known, as after a snapshot."""
        changes = self._changed("rdb_changes_since_last_save")
        if changes < 0 or f"{INFO}rdb_changes_since_last_save_per_s" not in self._of_info:
            return {}
        others = self._called(*CHANGING, *PUSHES, *EXPIRES)
        found = min(max(changes - others, 0.0), pops)
        return {
            "empty_pops_per_s": (pops - found) / self._seconds,
            "empty_pop_percent": 100 * (pops - found) / max(pops, 1),
        }

    @cached_property
    def _of_connections(self) -> dict[str, float]:
        commands, s = sum(one.calls for one in self.calls.values()), self._seconds
        opened = max(0.0, self._changed("total_connections_received"))
        grown = self._changed("connected_clients")
        selects, auths = (max(0.0, self._called(name) - opened) for name in ("select", "auth"))
        most = self._of_info.get(f"{INFO}maxclients") or float(self.node.settings.get("maxclients", 0))
        found = {
            "connections_per_s": opened / s,
            "connections_closed_per_s": max(0.0, opened - grown) / s,
            "commands_per_connection": max(0, commands - self._kept) / max(opened, 1.0),
            "commands_per_connection_per_s": self._busiest(commands) / s,
            "selects_per_s": selects / s,
            "select_percent": 100 * selects / max(commands, 1),
            "auths_per_s": auths / s,
            "auth_percent": 100 * auths / max(commands, 1),
            "failed_auths_per_s": self.calls.get("auth", NO_CALLS).unsuccessful / s,
        }
        open_now = self._of_info.get(f"{INFO}connected_clients", 1.0) - 1
        if most:
            found |= {
                "maxclients_percent": 100 * open_now / most,
                "maxclients_suggested": max(math.ceil(1.5 * most), 2 * open_now),
            }
        return found

    @property
    def _kept(self) -> int:
        """Return the commands of connections that were open all the time, as far as they are counted."""
        return sum(group.kept_calls or 0 for group in self.node.clients)

    def _busiest(self, commands: int) -> float:
        """Return the commands of the busiest connection, or the mean of those that are not idle.

        On a replica, most may be the primary's: then only what is counted by connection says anything.
        """
        counted = [group.busiest_calls for group in self.node.clients if group.busiest_calls is not None]
        if counted:
            return max(counted)
        if self.node.last.get("role") == "slave":
            return 0
        active = (
            sum(group.active for group in self.node.clients) or self._of_info.get(f"{INFO}connected_clients", 2.0) - 1
        )
        return commands / max(active, 1)

    @cached_property
    def _of_memory(self) -> dict[str, float]:
        used, most, machine = (
            self._of_info.get(f"{INFO}{name}", 0.0) for name in ("used_memory", "maxmemory", "total_system_memory")
        )
        suggested = _suggested(used, most, machine)
        return {
            **({"maxmemory_suggested_mb": suggested} if suggested else {}),
            "has_jemalloc": float(self.node.last.get("mem_allocator", "").startswith("jemalloc")),
            "has_maxmemory": float(most > 0),
            "memory_percent": 100 * used / most if most else 0.0,
            "memory_of_machine_percent": 100 * used / machine if machine else 0.0,
            "evicts_only_expiring": float(self.node.last.get("maxmemory_policy", "").startswith("volatile")),
        }

    @cached_property
    def _of_keys(self) -> dict[str, float]:
        databases = [
            _numbers(pairs_of(value))
            for name, value in self.node.last.items()
            if name.startswith("db") and "keys=" in value
        ]
        keys, expiring = (sum(one.get(name, 0) for one in databases) for name in ("keys", "expires"))
        return {
            "keys": keys,
            "keys_with_expiry": expiring,
            "without_expiry_percent": 100 * (keys - expiring) / max(keys, 1),
            "sampled_keys": self.node.keys.seen if self.node.keys else 0,
        }

    @property
    def _monitored(self) -> tuple[MonitoredClient, ...]:
        return self.node.monitor.clients if self.node.monitor else ()

    @cached_property
    def _of_monitor(self) -> dict[str, float]:
        if self.node.monitor is None:
            return {}
        *sums, run = ([_count(one, how) for one in self._monitored] for how in MONITORED)
        found = {f"monitored_{how}": float(sum(counts)) for how, counts in zip(MONITORED, sums, strict=False)}
        return found | {"monitored_longest_run": max(run, default=0), "monitored_s": self.node.monitor.seconds}

    def _commands(self) -> Iterator[SignalRow]:
        ever = Info(self.node.last).calls
        slow: defaultdict[str, list[int]] = defaultdict(list)
        ages: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        whose: defaultdict[str, dict[Who, None]] = defaultdict(dict)
        for one in self.node.slow:
            slow[one.command].append(one.us)
            ages[one.command].append((one.us, one.age_s))
            whose[one.command][one.who] = None
        for name in dict.fromkeys([*self.calls, *slow]):
            counted, logged = self.calls.get(name, NO_CALLS), slow[name]
            signals = {
                "calls": counted.calls,
                "calls_per_s": counted.calls / self._seconds,
                "us_per_call": counted.us / max(counted.calls, 1),
                "server_percent": 100 * counted.us / 1e6 / self._seconds,
                "failed_per_s": counted.unsuccessful / self._seconds,
                "slow_calls": len(logged),
                "slow_percent": 100 * len(logged) / max(ever.get(name, NO_CALLS).calls, len(logged), 1),
                "slowest_ms": max(logged, default=0) / 1e3,
                "slowest_age_s": max(ages[name], default=(0, 0))[1],
            }
            signals |= self._long(name, counted)
            p99 = _percentile(self.node.latency.get(name, {}), P99)
            who = tuple(dict.fromkeys([*whose[name], *self.suspects([name])])) or self.suspects(SCRIPTS)
            yield SignalRow(About.COMMAND, name, signals | ({"p99_us": p99} if p99 is not None else {}), who)

    def _long(self, name: str, counted: Calls) -> dict[str, float]:
        """Return what the calls of a millisecond or longer come to."""
        buckets = self.node.latency.get(name)
        if buckets is None:
            is_long = counted.us >= LONG_US * max(counted.calls, 1)
            return {
                "long_ms_per_s": counted.us / 1e3 / self._seconds if is_long else 0.0,
                "long_percent": 100.0 if is_long else 0.0,
            }
        long = {limit: count for limit, count in buckets.items() if limit > LONG_US * BUCKET}
        # Their time is at most the buckets' limits, and at most what all calls took.
        us = min(sum(limit * count for limit, count in long.items()), counted.us)
        return {
            "long_ms_per_s": us / 1e3 / self._seconds,
            "long_percent": 100 * sum(long.values()) / max(sum(buckets.values()), 1),
        }

    def _clients(self) -> Iterator[SignalRow]:
        for group in self.node.clients:
            yield SignalRow(About.CLIENT, group.who.words, _of_group(group), (group.who,))

    def _errors(self) -> Iterator[SignalRow]:
        first, last = (Info(info).errors for info in (self.node.first, self.node.last))
        of_setup = sum(self.calls.get(name, NO_CALLS).unsuccessful for name in SETUP)
        introduced = INTRODUCTIONS * max(0.0, self._changed("total_connections_received"))
        failing = [name for name, one in self.calls.items() if one.unsuccessful > 0 and name not in SETUP]
        failing.sort(key=lambda name: -self.calls[name].unsuccessful)
        for name, count in last.items():
            # What fails while libraries connect has the code ERR.
            errors = count - first.get(name, 0) - (of_setup + introduced if name == "ERR" else 0)
            if errors > 0:
                signals = {"errors": errors, "errors_per_s": errors / self._seconds}
                yield SignalRow(About.ERROR, name, signals, self.suspects(failing), _named(failing))

    def _events(self) -> Iterator[SignalRow]:
        for one in self.node.events:
            signals = {"latest_ms": one.latest_ms, "longest_ms": one.longest_ms, "age_s": one.age_s}
            yield SignalRow(About.EVENT, one.event, signals)

    def _nodes(self) -> Iterator[SignalRow]:
        for one in self.node.failed_nodes:
            yield SignalRow(About.NODE, one.address, {"slots": one.slots})

    def _hot_keys(self) -> Iterator[SignalRow]:
        monitor = self.node.monitor
        for one in monitor.hot if monitor else ():
            assert monitor is not None  # noqa: S101 - there are none without it
            signals = {
                "hot_percent": 100 * one.commands / max(monitor.commands, 1),
                "hot_per_s": one.commands / max(monitor.seconds, 1e-9),
            }
            yield SignalRow(About.HOT_KEY, f"key {one.hash}", signals, one.who, _named(one.names))

    def _keys(self) -> Iterator[SignalRow]:
        for number, one in enumerate(self.node.keys.largest if self.node.keys else (), start=1):
            yield SignalRow(About.KEY, shortened(one.name or f"{one.kind} {number}"), {"size_bytes": one.size_bytes})


def shortened(name: str) -> str:
    """Return a name that fits into a line: some keys have thousands of characters."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}... ({len(name):,} characters)"


def _named(commands: Sequence[str]) -> str:
    """Return which commands failed, those that failed most often first."""
    return f"in {', '.join(name.upper().replace('|', ' ') for name in commands[:MOST_NAMED])}" if commands else ""


def _of_group(group: ClientGroup) -> dict[str, float]:
    return {
        "connections": group.connections,
        "opened": group.opened,
        "subscriptions": group.subscribed,
        "output_bytes": group.output_bytes,
        "active": group.active,
        "monitoring": group.monitoring,
        "grown": group.grown,
        "growths": group.growths,
        "idle_new_percent": 100 * group.idle_new / max(group.grown, group.idle_new, 1),
        "idle_minute": group.idle_minute,
        "idle_minute_percent": 100 * group.idle_minute / max(group.connections, 1),
    }


def _count(one: MonitoredClient, how: str) -> int:
    count: int = getattr(one, how)
    return count


def _suggested(used: float, most: float, machine: float) -> int | None:
    """Return a value for `maxmemory` in MiB that makes room for what is used; None: there is none to be had."""
    room = OF_MACHINE * machine
    wanted = min(HALF_AS_MUCH_AGAIN * most, room) if most else room
    mib = int(wanted / 2**20)
    return mib if mib * 2**20 > max(ABOVE_USED * used, most) else None


def _numbers(info: Mapping[str, str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in info.items():
        try:
            number = float(value.removesuffix("%"))
        except ValueError:
            continue
        if math.isfinite(number):
            found[name] = number
    return found


def _percentile(buckets: Mapping[int, int], share: float) -> int | None:
    """Return the bucket's limit below which this share of calls is; None without calls."""
    limits, counts = sorted(buckets), [count for _, count in sorted(buckets.items())]
    if not counts:
        return None
    wanted = share * sum(counts)
    return next(limit for limit, passed in zip(limits, accumulate(counts), strict=True) if passed >= wanted)
