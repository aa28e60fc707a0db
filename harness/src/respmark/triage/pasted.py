"""What people paste: INFO, CLIENT LIST, SLOWLOG GET and LATENCY LATEST as redis-cli prints them, as a snapshot.

One INFO gives averages since the server started; two of the same server, taken some seconds apart, give rates. What
stands around them, as in a crash report, a ticket or a container's log, is passed over, as are lines that were cut.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from respmark import __version__
from respmark.servers.info import CALLS, ERRORS, Info
from respmark.triage import raw_replies
from respmark.triage.clients import Connections, parse_clients
from respmark.triage.kept import LEFT_OUT
from respmark.triage.logs import OF_INTEREST_S, logged_name
from respmark.triage.snapshot import LatencyEvent, NodeSnapshot, ServerSnapshot, SlowCall

ADDRESS: Final = "pasted text"
AROUND: Final = re.compile(r"\x1b\[[0-9;]*m|^\s*(?:>\s+)+|^[\w.-]+\s*\|\s|^\d+:[A-Z] \d+ \w+ (?:\d+ )?[\d:.]+ [.*#-] ")
"""What a terminal, a quotation, a container's log or the server's own log puts around a line."""
ESCAPED_ENDS: Final = re.compile(r"\\r\\n|\\n")
"""Ends of lines as redis-cli writes them inside quotation marks."""
FIELD: Final = re.compile(r"(?P<name>[a-z][a-z0-9_]*(?:_[^\s:]+)?):(?P<value>[^\s].*|)")
ONE_WORD: Final = frozenset({"role", "os", "hz", "loading", "maxmemory", "maxclients"})
"""Fields of INFO whose name has no underscore or digit; other words with a colon are prose."""
CONNECTION: Final = re.compile(r"(?:id=\d+ )?addr=\S+ .*\bcmd=\S+.*")
ITEM: Final = re.compile(r"\s*(\d+)\) ?")
INTEGER: Final = re.compile(r"\(integer\) (-?\d+)$")
COUNTED: Final = (
    *("total_connections_received", "total_commands_processed", "total_reads_processed", "total_writes_processed"),
    *("total_net_input_bytes", "total_net_output_bytes", "evicted_keys", "expired_keys", "keyspace_hits"),
    *("keyspace_misses", "used_cpu_sys", "used_cpu_user", "used_cpu_sys_main_thread", "used_cpu_user_main_thread"),
)
"""Counters whose averages since the start say something; of rare events, only the time of the watch does."""
LEAST_FIELDS: Final = 5
"""A field that appears again begins another INFO, if the one before has as many."""
SHOWN_BY: Final = ("CLIENT LIST", "SLOWLOG GET", "LATENCY LATEST")


def snapshot_of(pasted: str) -> ServerSnapshot | None:
    """Return what a text shows; None if there is no INFO in it."""
    lines = [AROUND.sub("", line).strip("\r\n\"'` ") for line in ESCAPED_ENDS.sub("\n", pasted).splitlines()]
    infos = list(_infos(lines))
    if not infos:
        return None
    rates = _rates(infos)
    last = infos[-1]
    seconds = rates.seconds
    now_s = (Info(last).count("server_time_usec") or 0) // 1_000_000
    replies = [*_replies(pasted.splitlines()), *raw_replies.slow_entries(lines), *raw_replies.events(lines)]
    slow, events = list(_slow(replies, now_s)), list(_events(replies, now_s))
    connections = [line if line.startswith("id=") else f"id={place} {line}" for place, line in _connections(lines)]
    known = Connections()
    if connections:
        known.see(parse_clients("\n".join(connections).encode()))
    has = {"CLIENT LIST": connections, "SLOWLOG GET": slow, "LATENCY LATEST": events}
    node = NodeSnapshot(
        address=ADDRESS,
        seconds=seconds,
        first=rates.first,
        last=last,
        clients=known.groups(),
        slow=tuple(slow),
        events=tuple(events),
        looks=known.looks,
        absent=tuple(name for name in SHOWN_BY if not has[name]),
        basis=rates.basis,
    )
    at = datetime.fromtimestamp(now_s, UTC) if now_s else datetime.now(UTC)
    return ServerSnapshot(respmark_version=__version__, taken_at=at, seconds=seconds, nodes=(node,))


@dataclass(frozen=True)
class _Rates:
    """What the last INFO is compared with."""

    first: dict[str, str]
    seconds: float
    basis: str
    """In words; empty: with an earlier INFO."""


def _rates(infos: Sequence[dict[str, str]]) -> _Rates:
    """Return the INFO before if there is one of the same server, else zeros."""
    last = infos[-1]
    uptime_s = Info(last).count("uptime_in_seconds")
    for first in infos[:-1]:
        passed_s = _seconds(last) - _seconds(first)
        if first.get("run_id") == last.get("run_id") and passed_s > 0:
            return _Rates(first, passed_s, "")
    if uptime_s is None or uptime_s < 0:
        return _Rates(last, 1.0, "one INFO that does not say for how long the server has run: there are no rates")
    zeros: dict[str, str] = {name: "0" for name in COUNTED if name in last}
    kept: dict[str, str] = {name: last[name] for name in ("run_id", "connected_clients") if name in last}
    return _Rates(
        {**zeros, **kept}, max(float(uptime_s), 1.0), "one INFO: averages since the server started or was reset"
    )


def _seconds(info: dict[str, str]) -> float:
    read = Info(info)
    return (read.count("server_time_usec") or 0) / 1e6 or float(read.count("uptime_in_seconds") or 0)


def _infos(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield each INFO of a text."""
    found: dict[str, str] = {}
    for line in lines:
        match = FIELD.fullmatch(line)
        if match is None or not _is_field(match["name"], match["value"]):
            continue
        if match["name"] in found and len(found) >= LEAST_FIELDS:
            yield found
            found = {}
        if match["name"] not in LEFT_OUT:
            found[match["name"]] = match["value"].strip()
    if len(found) >= LEAST_FIELDS:
        yield found


def _is_field(name: str, value: str) -> bool:
    counted = name.startswith((CALLS, ERRORS))
    return (counted and "=" in value) or "_" in name or name in ONE_WORD or name[-1:].isdecimal()


def _connections(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    return ((place, line) for place, line in enumerate(lines, start=1) if CONNECTION.fullmatch(line))


def _replies(lines: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the items of arrays as redis-cli numbers them (`1) 1) (integer) 14`); columns are levels."""
    columns: list[int] = []
    stack: list[list[Any]] = []
    top: list[Any] = []
    for raw in lines:
        line = AROUND.sub("", raw.rstrip()) if "|" in raw else raw.rstrip()
        place, marks = 0, list[int]()
        while found := ITEM.match(line, place):
            marks.append(found.end(1))
            place = found.end()
        if not marks:
            continue
        level = columns.index(marks[0]) if marks[0] in columns else 0
        columns = [*columns[:level], *marks]
        stack = stack[:level]
        for depth in range(level, len(columns)):
            holder = stack[-1] if stack else top
            if depth == len(columns) - 1:
                holder.append(_value(line[place:]))
            else:
                holder.append([])
                stack.append(holder[-1])
    yield from (one for one in top if isinstance(one, list))


def _value(text: str) -> int | str:
    if found := INTEGER.match(text.strip()):
        return int(found[1])
    return text.strip().strip('"')


def _slow(replies: Sequence[list[Any]], now_s: int) -> Iterator[SlowCall]:
    """Yield the entries of SLOWLOG: number, time, microseconds, words, and from 4.0 on address and name."""
    entries = [one for one in replies if len(one) > 3 and _all(one[:3], int) and isinstance(one[3], list)]  # noqa: PLR2004
    now_s = now_s or max((one[1] for one in entries), default=0)
    connections = Connections()
    for _, at_s, us, words, *client in entries:
        address, name = (str(part) for part in (*client, "", "")[:2])
        if 0 <= now_s - at_s <= OF_INTEREST_S and us >= 0:
            yield SlowCall(
                command=logged_name([str(word) for word in words[:2]]),
                age_s=now_s - at_s,
                us=us,
                who=connections.at(address, name),
            )


def _events(replies: Sequence[list[Any]], now_s: int) -> Iterator[LatencyEvent]:
    """Yield the events of LATENCY LATEST: name, time, the latest and the longest in milliseconds."""
    for one in replies:
        if len(one) > 3 and isinstance(one[0], str) and _all(one[1:4], int) and min(one[1:4]) >= 0:  # noqa: PLR2004
            name, at_s, latest, longest = one[:4]
            yield LatencyEvent(event=name, age_s=max(0, (now_s or at_s) - at_s), latest_ms=latest, longest_ms=longest)


def _all(values: Sequence[object], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)
