"""The nodes of a cluster: those that the server itself names, and no others."""

from collections.abc import Iterator
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.servers.cluster import SLOTS
from respmark.servers.info import Info
from respmark.triage.asking import Asker
from respmark.triage.logs import text
from respmark.triage.snapshot import FailedNode

FIELDS: Final = 8
"""What a node's line has before its slots."""
UNUSABLE: Final = frozenset({"noaddr", "fail", "handshake", "myself"})
"""Flags of nodes that cannot be asked, and of the one that answers."""


def other_nodes(asker: Asker, info: dict[str, str]) -> tuple[Endpoint, ...]:
    """Return the other nodes of the server's cluster; none if it is in no cluster, or does not say."""
    if info.get("cluster_enabled") != "1":
        return ()
    answer = asker.ask("CLUSTER", "NODES")
    return tuple(_nodes(text(answer or b""), asker.control.endpoint))


def failed_nodes(asker: Asker) -> tuple[FailedNode, ...]:
    """Return the nodes that the server says have failed."""
    lines = (line.split() for line in text(asker.ask("CLUSTER", "NODES") or b"").splitlines())
    return tuple(
        FailedNode(address=words[1].partition("@")[0], slots=sum(map(_slots, words[8:])))
        for words in lines
        if len(words) > FIELDS - 1 and "fail" in words[2].split(",")
    )


def _slots(words: str) -> int:
    """Return how many slots a range has; one that moves (`[93-<-…]`) is counted where it is."""
    first, _, last = words.partition("-")
    if not first.isdecimal():
        return 0
    return int(last or first) - int(first) + 1


def failed_slots(asker: Asker) -> int:
    """Return how many slots no working node has."""
    info = Info.read(text(asker.ask("CLUSTER", "INFO") or b""))
    assigned = info.count("cluster_slots_assigned")
    if assigned is None:
        return 0
    return SLOTS - assigned + (info.count("cluster_slots_fail") or 0) + (info.count("cluster_slots_pfail") or 0)


def _nodes(answer: str, endpoint: Endpoint) -> Iterator[Endpoint]:
    """Yield the nodes of a reply to CLUSTER NODES, to be reached as the one that gave it."""
    for line in answer.splitlines():
        _, place, flags, *_ = (*line.split(), "", "", "")
        where, *names = place.split(",")
        host, _, port = where.partition("@")[0].rpartition(":")
        if UNUSABLE.isdisjoint(flags.split(",")) and host and port.isdecimal():
            # A certificate is for the name, not for the address.
            host = names[0] if endpoint.tls and names and names[0] else host
            yield endpoint.model_copy(update={"host": host.strip("[]"), "port": int(port), "unix_socket": None})
