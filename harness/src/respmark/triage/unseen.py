"""What was not looked at, and why: a report without findings does not say that the server is healthy."""

from collections.abc import Iterator
from typing import Final

from respmark.servers.info import Info
from respmark.triage.signals import Signals
from respmark.triage.snapshot import NodeSnapshot

CONFLICTS: Final = "watch_conflicts_per_s"


def unseen(node: NodeSnapshot) -> Iterator[str]:
    """Yield it for a server, each in a few words."""
    yield from (f"{one.command} cannot be used ({one.said})" for one in node.refused)
    if node.basis:
        yield f"what happens now ({node.basis})"
    if node.absent:
        yield f"{', '.join(node.absent)} (not in the text)"
    yield from (f"{name} (left out)" for name in node.left_out)
    if node.keys and node.keys.hidden:
        yield f"{node.keys.hidden:,} keys that this user may not look at"
    if "client_output_buffer_limit_disconnections" not in node.last:
        yield "whether slow clients were dropped (counted from Redis 7.2 on)"
    refused = {one.command for one in node.refused}
    if node.keys is None and not {"SCAN", "MEMORY USAGE"} & refused:
        yield "the sizes of keys (--keys)"
    if node.monitor is None and "MONITOR" not in refused:
        yield "the order of commands on each connection (--monitor)"
    yield from _of_clients(node)
    if node.resets:
        yield f"what was before CONFIG RESETSTAT, {node.seconds:.0f} s before the end"
    signals = Signals(node)
    if node.monitor is None and "watch" in signals.counters.calls and not signals.server.signals[CONFLICTS]:
        yield "conflicts of WATCH, which servers do not count, and other writes can hide (--monitor)"
    if unread := Info(node.last).unread:
        yield f"{unread:,} counters of INFO that are not as servers write them"


def _of_clients(node: NodeSnapshot) -> Iterator[str]:
    if not node.clients:
        return
    if node.looks == 1:
        yield "which connections came and went: there are so many that CLIENT LIST was asked for once"
    if not any(one.who.library for one in node.clients):
        yield "which libraries these are, as they or the server (before 7.2) do not say"
    if all(one.calls is None for one in node.clients):
        yield "which connection sent how much (counted from Redis 8 and Valkey 8.1 on)"
