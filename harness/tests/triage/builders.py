"""Snapshots of servers that never ran."""

from datetime import UTC, datetime
from typing import Any

from respmark.specs.catalogue import Catalogue
from respmark.triage.findings import RuleJudge
from respmark.triage.gains import NO_GAINS, Gains
from respmark.triage.rules import rules_of
from respmark.triage.snapshot import ClientGroup, NodeSnapshot, ServerSnapshot, Who

CATALOGUE = Catalogue()
RULES = rules_of(CATALOGUE)
QUIET = {
    "redis_version": "7.2.4",
    "run_id": "a",
    "role": "master",
    "connected_clients": "3",
    "maxclients": "10000",
    "maxmemory": "0",
    "maxmemory_policy": "noeviction",
    "used_memory": "1000000",
    "total_system_memory": "16000000000",
    "total_commands_processed": "1000",
    "total_connections_received": "10",
    "total_reads_processed": "1000",
}
"""INFO of a server on which nothing happens."""
TEN_S = 10.0


def make_node(first: dict[str, str] | None = None, last: dict[str, str] | None = None, **fields: Any) -> NodeSnapshot:  # noqa: ANN401 - the model's own
    """Return a node that was watched for ten seconds, with what differs from a quiet server."""
    given = {"address": "127.0.0.1:6379", "seconds": TEN_S, **fields}
    return NodeSnapshot(first={**QUIET, **(first or {})}, last={**QUIET, **(last or {})}, **given)


def make_snapshot(*nodes: NodeSnapshot) -> ServerSnapshot:
    """Return a snapshot of these nodes."""
    taken_at = datetime(2026, 11, 27, 9, tzinfo=UTC)
    return ServerSnapshot(respmark_version="1", taken_at=taken_at, seconds=TEN_S, nodes=nodes or (make_node(),))


def make_judge(gains: Gains = NO_GAINS) -> RuleJudge:
    """Return the shipped rules."""
    return RuleJudge(RULES, gains, CATALOGUE.clients)


def found(node: NodeSnapshot, gains: Gains = NO_GAINS) -> list[str]:
    """Return the ids of the findings about a node."""
    return [one.id for one in make_judge(gains).findings(node)]


def make_group(library: str = "redis-py", version: str = "8.1.0", **fields: Any) -> ClientGroup:  # noqa: ANN401 - as above
    """Return a connection of a library."""
    who = Who(address="10.0.0.7:4711", library=library, version=version)
    return ClientGroup(**{"who": who, "connections": 1, **fields})
